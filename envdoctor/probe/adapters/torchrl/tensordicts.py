"""Driving TorchRL's environments, single or batched: they take and give tensordicts."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Tuple

if TYPE_CHECKING:
    from tensordict import TensorDictBase
    from torch import Tensor
    from torchrl.envs import EnvBase

OUTCOME = ("reward", "done", "terminated", "truncated")


def is_tensordict(value: object) -> bool:
    """Return whether it is a tensordict, without importing the library."""
    return type(value).__module__.partition(".")[0] == "tensordict"


def parts(value: TensorDictBase) -> Iterator[Tuple[Tuple[str, ...], Tensor]]:
    """The leaves of a tensordict with their paths."""
    for key, leaf in value.items(include_nested=True, leaves_only=True):
        yield (key if isinstance(key, tuple) else (key,)), leaf


def observation(stepped: object) -> Dict[str, object]:
    """Leaves of a reset, or of the part "next" of a step, besides the outcome, as copies:
    environments and those who drive them go on writing into the tensordict that was handed out.
    """
    return {
        ".".join(path): as_array(leaf)
        for path, leaf in parts(stepped)
        if path[-1] not in (*OUTCOME, "action", "_reset")
    }


class ReturnedTensors(NamedTuple):
    """Values of a reset, or of the part "next" of a step; None is what it does not hold. At the
    end of an episode it has no observation: whether it is still that of this episode depends on who
    drives.
    """

    reward: object = None
    terminated: object = None
    truncated: object = None
    observation: object = None

    def values(self) -> Dict[str, Any]:
        """Values that it holds, by the names of a `Call`."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def returned(answer: object) -> ReturnedTensors:
    """Values of a reset, or of the part "next" of a step."""
    return ReturnedTensors(
        _one_or_all(answer, "reward"),
        _one_or_all(answer, "terminated"),
        _one_or_all(answer, "truncated"),
        None if any(_any(answer, name) for name in OUTCOME[1:]) else seen_in(answer),
    )


def seen_in(answer: object) -> object:
    """The observation; by their paths where there are several."""
    leaves = observation(answer)
    return leaves["observation"] if list(leaves) == ["observation"] else leaves


def _one_or_all(answer: object, name: str) -> object:
    """The leaf of that name; by their paths where there are several, for as many agents; None
    where there is none.
    """
    leaves = {".".join(path): as_array(leaf) for path, leaf in parts(answer) if path[-1] == name}
    return leaves if len(leaves) > 1 else next(iter(leaves.values()), None)


def actions(environment: EnvBase, asked: TensorDictBase) -> List[Tuple[Tuple[str, ...], Tensor]]:
    """The leaves of a tensordict that are actions, with their paths."""
    keys = [key if isinstance(key, tuple) else (key,) for key in environment.action_keys]
    return [(key, asked.get(key)) for key in keys]


def as_array(leaf: Tensor) -> object:
    """A copy of a tensor as an array of numpy; what is not a tensor is left as it is."""
    return leaf.detach().cpu().numpy().copy() if callable(getattr(leaf, "detach", None)) else leaf


def transition(stepped: TensorDictBase) -> Tuple[object, object, bool, bool, object]:
    """(observation, reward, terminated, truncated, info) of what step() returned; info is the
    tensordict of the next step.
    """
    following = stepped.get("next")
    done, terminated, truncated = (_any(following, name) for name in OUTCOME[1:])
    truncated = truncated or (done and not terminated)
    rewards = tuple(as_array(leaf) for path, leaf in parts(following) if path[-1] == "reward")
    root = importlib.import_module("torchrl.envs.utils").step_mdp(stepped)
    return observation(following), rewards, terminated, truncated, root


def _any(following: object, name: str) -> bool:
    return any(bool(leaf.any()) for path, leaf in parts(following) if path[-1] == name)


class ActionSpec:
    """Draws actions from an environment's specification as it stands now, by a random stream of its
    own: PyTorch's global one is the environment's. `source` is the environment.
    """

    def __init__(self, environment: EnvBase) -> None:
        self.source = environment
        self.state: object = None

    def __deepcopy__(self, memo: object) -> ActionSpec:
        twin = ActionSpec(self.source)
        twin.state = self.state
        return twin

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        import torch

        self.state = torch.Generator().manual_seed(seed).get_state()

    def onto(self, root: TensorDictBase) -> object:
        """A copy of the tensordict with an action in it."""
        import torch

        theirs = torch.get_rng_state()
        torch.set_rng_state(self.state)
        try:
            return self.source.rand_action(root.clone(recurse=False))
        finally:
            self.state = torch.get_rng_state()
            torch.set_rng_state(theirs)
