"""Ends of episodes: what instances return at the end, and what the next episode begins with.

Two calls follow the last step of an instance's first episode in its trajectory:

    final   observation (None where the manager handed none on), info: {key: value} of the last
            step, both frozen
    begun   observation of the next episode's first moment
"""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterable, Mapping, NamedTuple, Optional, Set, Tuple

from envdoctor.model.trajectory import Call, Frozen
from envdoctor.probe.comparison.frozen import freeze

NOTHING = object()  # in place of an observation that a manager does not hand on

FINAL, BEGUN = "final", "begun"

TERMINATED, TRUNCATED, DONE = "terminated", "truncated", "done"

Add = Callable[..., None]


def how(terminated: bool, truncated: bool) -> str:
    """The word for an end; nothing while the episode goes on."""
    return TERMINATED if terminated else TRUNCATED if truncated else ""


class RecordedEnd(NamedTuple):
    """At which step an episode ended, and how."""

    step: int
    how: str


class Endings:
    """Follows the first episode of each of several instances to its end, and to the beginning of
    the next one. `add` records a call. `ends` has the ends by slot. `look`, where there is one, is
    handed what the last step of each returned.
    """

    def __init__(self, instances: int, add: Add) -> None:
        self.instances = instances
        self.add = add
        self.look: Optional[Callable[[str, object, object], None]] = None
        self.steps: Dict[int, int] = {}
        self.ends: Dict[int, RecordedEnd] = {}
        self.waiting: Set[int] = set()

    @property
    def complete(self) -> bool:
        """True where each instance came to an end, and began anew."""
        return len(self.ends) == self.instances and not self.waiting

    def stepped(self, slots: Iterable[int]) -> None:
        """Count a step of these instances."""
        for slot in slots:
            self.steps[slot] = self.steps.get(slot, 0) + 1

    def ended(self, slot: int, how: str, final: Callable[[], Tuple[object, object]]) -> None:
        """An episode of an instance ended; `final` finds its last observation and info."""
        if slot in self.ends:
            return
        self.ends[slot] = RecordedEnd(self.steps.get(slot, 0), how)
        self.waiting.add(slot)
        with contextlib.suppress(Exception):  # a batch that cannot be taken apart
            observation, info = final()
            observed = {} if observation is NOTHING else {"observation": observation}
            self.add(FINAL, slot, info=shown(info), **observed)
            if self.look is not None:
                self.look("step", observation, info)

    def began(self, slot: int, first: Callable[[], object]) -> None:
        """Its next episode began; `first` finds its first observation."""
        if slot in self.waiting:
            self.waiting.discard(slot)
            with contextlib.suppress(Exception):
                self.add(BEGUN, slot, observation=first())


def shown(info: object) -> Dict[str, object]:
    """The values of an info by key, as far as its keys are texts."""
    if not isinstance(info, Mapping):
        return {}
    return {key: value for key, value in info.items() if isinstance(key, str)}


def of_batch(infos: Any, slot: int) -> Dict[str, object]:
    """The info of one instance in a batch of Gymnasium's: each key has a mask beside it."""
    info = {}
    for key, values in infos.items() if isinstance(infos, dict) else ():
        mask = infos.get("_" + key)
        if mask is not None and bool(mask[slot]):
            info[key] = of_batch(values, slot) if isinstance(values, dict) else values[slot]
    return info


def frozen_keys(final: Optional[Call]) -> Dict[str, Frozen]:
    """The frozen values of a final info, by key."""
    info = (final and final.info) or freeze({})
    return {key[1:-1]: value for key, value in info[1]} if info[0] == "map" else {}
