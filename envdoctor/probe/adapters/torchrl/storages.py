"""Shared part of TorchRL's storages: transitions as its own environments and collectors write
them.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Type,
)

from envdoctor.probe.replay.sizes import Sizes
from envdoctor.probe.replay.storages import Sampled, Store, Transition

if TYPE_CHECKING:
    from types import ModuleType

    from gymnasium.spaces import Space
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Storage, TensorDictReplayBuffer


Path = Tuple[str, ...]

FLAGS = ("done", "terminated", "truncated")
FLAG_BYTES = 6  # each of them before and after the step
REWARD_BYTES = 4
NUMBER_BYTES = 24  # episode, step and the buffer's own index

TENSORS = 10  # of a transition besides its observations and actions
TENSOR_BYTES = 620  # what a tensor of its own takes besides its numbers: in PyTorch 2.13 580 to 660
DICTIONARY_BYTES = 750  # what a transition takes for the two dictionaries around them


def missing() -> str:
    """An empty text, or why TorchRL's storages cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("torchrl")
        else "torchrl is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it. One thread: several that copy one frame wait for
    each other longer than they copy where the cores are busy, and nothing but memory is measured
    here.
    """
    importlib.import_module("torchrl.data")
    importlib.import_module("torch").set_num_threads(1)


def parts(sizes: Sizes) -> Dict[str, int]:
    """Bytes of one transition in tensors that hold all of them."""
    return {
        "observation": sizes.observation,
        "next observation": sizes.observation,
        "action": sizes.action,
        "reward": REWARD_BYTES,
        "flags": FLAG_BYTES,
        "numbers": NUMBER_BYTES,
    }


def objects(sizes: Sizes) -> int:
    """Bytes that the objects of one transition take where each has tensors of its own."""
    return (TENSORS + 2 * sizes.leaves + sizes.action_leaves) * TENSOR_BYTES + DICTIONARY_BYTES


class Tensors(Store):
    """A TensorDictReplayBuffer around one storage. `copies` is whether the storage copies what
    it is given.
    """

    def __init__(self, storage: Storage, capacity: int, space: object, copies: bool) -> None:
        self.torch: ModuleType = importlib.import_module("torch")
        self.data: ModuleType = importlib.import_module("torchrl.data")
        self.dictionary: Type[TensorDict] = importlib.import_module("tensordict").TensorDict
        self.copies = copies
        self.capacity = capacity
        self.types = dict(_types(space))
        self.paths: Tuple[Tuple[str, Path], ...] = ()  # of what is kept, once one was packed
        self.storage = storage
        self.buffer: TensorDictReplayBuffer = self.data.TensorDictReplayBuffer(
            storage=storage, batch_size=1
        )

    def take(self, observation: object) -> object:
        """As TorchRL's wrapper of Gymnasium does: a tensor over the very memory, in the type of the
        space. For a storage that copies, a copy: aliasing in the loop is not the storage's.
        """
        return self._mapped(observation, ())

    def _mapped(self, value: object, path: Path) -> object:
        if isinstance(value, dict):
            return {str(key): self._mapped(part, (*path, str(key))) for key, part in value.items()}
        tensor = self.torch.as_tensor(value, dtype=self._type(path))
        return tensor.clone() if self.copies else tensor

    def _type(self, path: Path) -> object:
        name = self.types.get(path)
        return getattr(self.torch, str(name), None) if name else None

    def form(self, packed: object) -> Dict[str, object]:
        """{key: array} as it is to be read back."""
        return self._flat(packed)

    def add(self, packed: object) -> None:
        """Keep one."""
        self.buffer.add(packed)

    def pack(self, transition: Transition) -> object:
        """A tensordict with the keys that TorchRL's environments write, and the numbers of
        episode and step.
        """
        tensor = self.torch.tensor
        done = transition.terminated or transition.truncated
        after: Dict[str, object] = dict(
            _named(transition.next_observation),
            reward=tensor([transition.reward], dtype=self.torch.float32),
        )
        after.update(
            zip(
                FLAGS,
                (tensor([flag]) for flag in (done, transition.terminated, transition.truncated)),
            )
        )
        before: Dict[str, object] = dict(
            _named(transition.observation), action=self._action(transition.action)
        )
        before.update({flag: tensor([False]) for flag in FLAGS})
        before.update(
            episode=tensor(transition.episode),
            step=tensor(transition.number),
            next=self.dictionary(after, []),
        )
        return self.dictionary(before, [])

    def _action(self, action: object) -> object:
        if isinstance(action, dict):
            return {str(key): self._action(part) for key, part in action.items()}
        return self.torch.as_tensor(action)

    def __len__(self) -> int:
        """Number of transitions that it keeps now."""
        return len(self.buffer)

    def read(self, slot: int) -> Dict[str, object]:
        """{key: array} of a slot."""
        return self._flat(self.storage.get(slot))

    def _flat(self, kept: TensorDictBase) -> Dict[str, Any]:
        if not self.paths:
            self.paths = tuple(
                (".".join(path), path) for path, _ in _leaves(kept) if path != ("index",)
            )
        return {key: kept.get(path).detach().numpy() for key, path in self.paths}

    def leaves(self, slots: Sequence[int]) -> Dict[str, List[object]]:
        """The tensors of some slots."""
        tensors: Dict[str, List[object]] = {}
        for slot in slots:
            for path, tensor in _leaves(self.storage.get(slot)):
                if path[-1] not in FLAGS:
                    tensors.setdefault(".".join(path), []).append(tensor)
        return tensors

    def detach(self) -> None:
        """Put the same numbers without a graph into each place."""
        kept = self.storage._storage
        if isinstance(kept, list):
            kept[:] = [entry.detach() for entry in kept]
        else:
            self.storage._storage = kept.detach()

    def slices(self, length: int, count: int) -> Optional[List[List[Sampled]]]:
        """By its SliceSampler, which needs one tensor for all transitions."""
        if isinstance(self.storage._storage, list):
            return None
        sampler = self.data.SliceSampler(slice_len=length, traj_key="episode", cache_values=False)
        drawn = self.data.TensorDictReplayBuffer(
            storage=self.storage, sampler=sampler, batch_size=length * count
        ).sample()
        return [
            [self._numbered(drawn[index]) for index in range(start, start + length)]
            for start in range(0, len(drawn), length)
        ]

    def _numbered(self, kept: object) -> Sampled:
        """One transition of a slice. The sampler marks the slice's own beginning and end among
        the flags.
        """
        flat = self._flat(kept)
        return Sampled(
            int(flat["step"]),
            {
                key: value
                for key, value in flat.items()
                if key != "is_init" and not key.endswith(FLAGS)
            },
        )

    def close(self) -> None:
        """Let go of buffer and storage."""
        self.buffer = self.storage = None


def _named(observation: object) -> Dict[str, object]:
    return {"observation": observation}


def _leaves(kept: TensorDictBase) -> Iterator[Tuple[Path, object]]:
    for key in sorted(kept.keys(True, True), key=str):
        yield (key if isinstance(key, tuple) else (key,)), kept.get(key)


def _types(space: Space, path: Path = ()) -> Iterator[Tuple[Path, str]]:
    """The dtype of each leaf of a space. Raises TypeError for what no tensor can hold."""
    parts: object = getattr(space, "spaces", None)
    if hasattr(parts, "items"):
        for key, part in parts.items():
            yield from _types(part, (*path, str(key)))
    elif space is not None and getattr(space, "shape", None) is None:
        raise TypeError("no tensor can hold an observation of a %s space" % type(space).__name__)
    elif space is not None:
        yield path, str(space.dtype)


def opened(
    kind: Callable[[ModuleType], object], capacity: int, environment: object, copies: bool
) -> Tensors:
    """A storage made by `kind(torchrl.data)`. Raises TypeError for observations that no tensor
    can hold.
    """
    return Tensors(
        kind(importlib.import_module("torchrl.data")),
        capacity,
        getattr(environment, "observation_space", None),
        copies,
    )
