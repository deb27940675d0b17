"""Stable-Baselines3's ReplayBuffer, or DictReplayBuffer where observations are dicts: arrays of
the whole capacity, touched as they fill.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from envdoctor.probe.replay.sizes import Sizes
from envdoctor.probe.replay.storages import Sampled, Store, Transition

if TYPE_CHECKING:
    from gymnasium import Env
    from gymnasium.spaces import Space
    from numpy import ndarray
    from stable_baselines3.common.buffers import ReplayBuffer, ReplayBufferSamples
    from torch import Tensor

NAME, CLASS, PLACE, COPIES = "sb3", "ReplayBuffer", "memory", True

FLAG_BYTES = 8  # done and timeout, both of 32 bits
REWARD_BYTES = 4
DOUBLE = "float64"  # of actions, which are kept in half of it


def missing() -> str:
    """An empty text, or why it cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("stable_baselines3")
        else "stable-baselines3 is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("stable_baselines3.common.buffers")


def parts(sizes: Sizes) -> Dict[str, int]:
    """Both observations, unless optimize_memory_usage=True."""
    action = sizes.action // (2 if sizes.action_dtype == DOUBLE else 1)
    both = {"observation": sizes.observation, "next observation": sizes.observation}
    return dict(both, action=action, reward=REWARD_BYTES, flags=FLAG_BYTES)


def build(capacity: int, environment: Env) -> BufferArrays:
    """Raises what the framework raises for spaces that it does not know."""
    return BufferArrays(capacity, environment.observation_space, environment.action_space)


class BufferArrays(Store):
    """The buffer of one environment."""

    def __init__(self, capacity: int, observation_space: Space, action_space: object) -> None:
        from gymnasium.spaces import Dict as DictSpace
        from stable_baselines3.common.buffers import DictReplayBuffer, ReplayBuffer

        self.space = observation_space
        self.capacity = capacity
        self.pushed = 0
        kind = DictReplayBuffer if isinstance(observation_space, DictSpace) else ReplayBuffer
        self.buffer: ReplayBuffer = kind(capacity, observation_space, action_space, device="cpu")

    def take(self, observation: object) -> object:
        """A copy in the type of the space, as DummyVecEnv makes one."""
        import numpy as np

        if isinstance(observation, dict):
            return {key: np.array(part, self.space[key].dtype) for key, part in observation.items()}
        return np.array(observation, self.space.dtype)

    def pack(self, transition: Transition) -> Transition:
        """As it is."""
        return transition

    def form(self, packed: Transition) -> Dict[str, object]:
        """{key: array} as it is to be read back."""
        import numpy as np

        transition = packed
        action = np.asarray(transition.action).reshape(-1).astype(self.buffer.actions.dtype)
        done = transition.terminated or transition.truncated
        fields = {
            "action": action,
            "reward": np.float32(transition.reward),
            "done": np.float32(done),
        }
        return dict(
            fields,
            **self._named("observation", transition.observation),
            **self._named("next.observation", transition.next_observation),
        )

    def _named(self, name: str, observation: Any) -> Dict[str, object]:
        if isinstance(observation, dict):
            shapes = self.buffer.obs_shape
            return {
                "%s.%s" % (name, key): part.reshape(shapes[key])
                for key, part in observation.items()
            }
        return {name: observation.reshape(self.buffer.obs_shape)}

    def add(self, packed: Transition) -> None:
        """Keep one."""
        import numpy as np

        transition = packed
        cut = transition.truncated and not transition.terminated
        done = transition.terminated or transition.truncated
        self.buffer.add(
            _row(transition.observation),
            _row(transition.next_observation),
            np.asarray(transition.action)[None],
            np.array([transition.reward]),
            np.array([done]),
            [{"TimeLimit.truncated": cut}],
        )
        self.pushed += 1

    def __len__(self) -> int:
        """Number of transitions that it keeps now."""
        return int(self.buffer.size())

    def read(self, slot: int) -> Dict[str, object]:
        """{key: array} of a slot."""
        buffer = self.buffer
        fields = {
            "action": buffer.actions[slot, 0],
            "reward": buffer.rewards[slot, 0],
            "done": buffer.dones[slot, 0],
        }
        return dict(
            fields,
            **_kept("observation", buffer.observations, slot),
            **_kept("next.observation", buffer.next_observations, slot),
        )

    def slices(self, length: int, count: int) -> Optional[List[List[Sampled]]]:
        """By what its sample() calls, with indices that follow each other."""
        import numpy as np

        kept = len(self)
        starts = range(
            self.pushed - kept, self.pushed - length + 1, max(length, (kept - length) // count or 1)
        )
        batches = (
            self.buffer._get_samples(np.arange(start, start + length) % self.capacity)
            for start in starts
        )
        return [
            [self._sampled(batch, row, start + row) for row in range(length)]
            for start, batch in zip(starts, batches)
        ]

    def _sampled(self, batch: ReplayBufferSamples, row: int, number: int) -> Sampled:
        """One row of a batch of tensors, with the keys of `form`."""
        fields = {"action": batch.actions[row].numpy(), "reward": batch.rewards[row, 0].numpy()[()]}
        return Sampled(
            number,
            dict(
                fields,
                **_in_row("observation", batch.observations, row),
                **_in_row("next.observation", batch.next_observations, row),
            ),
        )

    def leaves(self, _slots: Sequence[int]) -> Dict[str, List[object]]:
        """Rows of its arrays, which are its own."""
        return {}

    def close(self) -> None:
        """Let go of it."""
        self.buffer = None


def _row(observation: Any) -> object:
    return (
        {key: part[None] for key, part in observation.items()}
        if isinstance(observation, dict)
        else observation[None]
    )


def _in_row(name: str, tensors: Union[Tensor, Dict[str, Tensor]], row: int) -> Dict[str, object]:
    if isinstance(tensors, dict):
        return {"%s.%s" % (name, key): tensor[row].numpy() for key, tensor in tensors.items()}
    return {name: tensors[row].numpy()}


def _kept(name: str, arrays: Union[ndarray, Dict[str, ndarray]], slot: int) -> Dict[str, object]:
    if isinstance(arrays, dict):
        return {"%s.%s" % (name, key): array[slot, 0] for key, array in arrays.items()}
    return {name: arrays[slot, 0]}
