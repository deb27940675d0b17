"""DI-engine's DequeBuffer: a deque of what it is given, kept by reference."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from envdoctor.probe.replay.sizes import Sizes, parts_of
from envdoctor.probe.replay.storages import Sampled, Store, Transition

if TYPE_CHECKING:
    from ding.data.buffer import DequeBuffer

NAME, CLASS, PLACE, COPIES = "ding", "DequeBuffer", "memory", False

# The dict, its numbers, the record around it, its unique index and the place of that.
ENTRY_BYTES = 1400
LEAF_BYTES = 110  # an array's object


def missing() -> str:
    """An empty text, or why it cannot be used here."""
    return (
        "" if importlib.util.find_spec("ding") else "DI-engine is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("ding.data.buffer")


def parts(sizes: Sizes) -> Dict[str, int]:
    """The next observation is the next transition's observation: one object."""
    leaves = sizes.leaves + sizes.action_leaves
    return {
        "observation": sizes.observation,
        "action": sizes.action,
        "objects": ENTRY_BYTES + leaves * LEAF_BYTES,
    }


def build(capacity: int, _environment: object) -> Records:
    """The buffer."""
    return Records(capacity)


class Records(Store):
    """A DequeBuffer of dicts."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.pushed = 0
        self.buffer: DequeBuffer = importlib.import_module("ding.data.buffer").DequeBuffer(
            size=capacity
        )

    def form(self, packed: Dict[str, object]) -> Dict[str, object]:
        """{key: value} as it is to be read back."""
        return {key: value for key, value in packed.items() if key != "episode"}

    def pack(self, transition: Transition) -> Dict[str, object]:
        """A dict, as DI-engine's own middleware pushes it."""
        return {
            "obs": transition.observation,
            "next_obs": transition.next_observation,
            "action": transition.action,
            "reward": transition.reward,
            "done": transition.terminated or transition.truncated,
            "step": transition.number,
            "episode": transition.episode,
        }

    def add(self, packed: Dict[str, object]) -> None:
        """Keep one, under its episode."""
        episode = packed.pop("episode")
        self.buffer.push(packed, meta={"episode": episode})
        self.pushed += 1

    def __len__(self) -> int:
        """Number of transitions that it keeps now."""
        return int(self.buffer.count())

    def _at(self, slot: int) -> Any:
        """The deque begins with the oldest; transition n has slot n % capacity everywhere else."""
        kept = len(self)
        return self.buffer.get((slot - (self.pushed - kept)) % kept).data

    def read(self, slot: int) -> Dict[str, object]:
        """{key: value} of a slot."""
        return dict(self._at(slot))

    def leaves(self, slots: Sequence[int]) -> Dict[str, List[object]]:
        """Arrays in some slots, by key."""
        arrays: Dict[str, List[object]] = {}
        for slot in slots:
            for key in ("obs", "next_obs", "action"):
                arrays.setdefault(key, []).extend(parts_of(self._at(slot)[key]))
        return arrays

    def detach(self) -> None:
        """Put the same numbers without a graph into each place."""
        for record in self.buffer:
            record.data.update({key: _detached(value) for key, value in record.data.items()})

    def slices(self, length: int, count: int) -> Optional[List[List[Sampled]]]:
        """By sampling groups: `count` episodes, as far as there are so many. A ring may have
        lost an episode's beginning.
        """
        episodes = {record.meta["episode"] for record in self.buffer}
        groups = self.buffer.sample(min(count, len(episodes)), groupby="episode")
        return [
            [Sampled(record.data["step"], dict(record.data)) for record in group]
            for group in groups
        ]

    def close(self) -> None:
        """Let go of it."""
        self.buffer = None


def _detached(value: Any) -> object:
    if isinstance(value, dict):
        return {key: _detached(part) for key, part in value.items()}
    return value.detach() if callable(getattr(value, "detach", None)) else value
