"""Trajectories: what instances returned call by call (`model/trajectory.py`), kept in a file of the
session so that another process can compare.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from typing import TYPE_CHECKING, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from envdoctor.model.trajectory import Call, Frozen
from envdoctor.probe.comparison.frozen import (
    LARGEST,
    ValueDifference,
    first_difference,
    freeze,
    opaque_parts,
)
from envdoctor.probe.system import room

if TYPE_CHECKING:
    from typing import Protocol

    from envdoctor.probe.actions import Actions
    from envdoctor.probe.comparison.aliasing import Taker

    class DrivenInstance(Protocol):
        """An instance that is driven without a manager, and may be recorded."""

        actions: Actions
        info: object
        ended: bool
        recorder: Optional[Recorder]
        returned_arrays: Optional[Taker]

        @property
        def is_over(self) -> bool:
            """Return whether it has no next step."""

        def subject(self) -> object:
            """Return what the constructor returned."""

        def reset(self, seed: Optional[int]) -> None:
            """Begin an episode."""

        def step(self) -> None:
            """Step once."""

        def offers(self, verb: str) -> bool:
            """Return whether there is anything to call for a verb."""

        def close(self) -> None:
            """Close it."""


SUFFIX = ".trajectory"
MOST = 4 * 1024 * 1024  # bytes of one recording; beyond, what is large is digested
SMALL = 256  # bytes that are kept even then
BUFFER = 256 * 1024  # bytes that wait to be written

# What is compared; infos hold clocks and counters.
RETURNED = ("observation", "reward", "terminated", "truncated")

NO_ACTION = ("plain", "NoneType", None)

MAX_REASONS = 5  # of why something could not be compared


class Recorder:
    """Records what instances return. Keeps no object of theirs and no descriptor; `save()`
    writes what waits.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._waiting = bytearray()
        self._spent = 0
        with contextlib.suppress(OSError):  # what an earlier play recorded is over
            os.remove(path)

    def add(
        self,
        call: str,
        slot: int = 0,
        seed: Optional[int] = None,
        asked: Optional[Frozen] = None,
        **values: object,
    ) -> None:
        """Record one call: what it was given and what it returned, by the names of a `Call`.
        `asked` is the action as it was frozen before a call in this process, which may write into
        it.
        """
        room = LARGEST if self._spent < MOST else SMALL
        frozen = {name: freeze(value, room) for name, value in values.items()}
        if asked is not None:
            frozen["action"] = asked
        data = Call(call, slot, seed, **frozen).encoded()
        self._spent += len(data)
        self._waiting += data
        if len(self._waiting) > BUFFER:
            self.save()

    def save(self) -> None:
        """Append what waits to the file. What cannot be written (disk full) is lost, never
        raised.
        """
        data, self._waiting = bytes(self._waiting), bytearray()
        with contextlib.suppress(OSError), room.made():
            descriptor = os.open(
                self.path,
                os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0),
                0o600,
            )
            try:
                os.write(descriptor, data)
            finally:
                os.close(descriptor)


def load(path: str) -> List[Call]:
    """The calls of a file, in order; those that are whole where it was cut short, none without
    a file.
    """
    calls: List[Call] = []
    try:
        with open(path, "rb") as file:
            while True:
                calls.append(Call.decode(marshal.load(file)))  # noqa: S302  the probe wrote it
    except (OSError, EOFError, ValueError, TypeError):
        return calls


class TrajectoryComparison(NamedTuple):
    """Two trajectories: `calls` that were compared, what differs first (`call` "reset" or "step",
    `step` counted from 0 at the first reset, and the difference in it), and what could not be
    compared before that.
    """

    calls: int
    call: str = ""
    step: int = 0
    difference: Optional[ValueDifference] = None
    unknown: Tuple[str, ...] = ()

    def as_dict(self) -> Dict[str, object]:
        """For the journal: {calls, unknown, difference: {call, step, key, what, place, values}
        or None}.
        """
        return {
            "calls": self.calls,
            "unknown": list(self.unknown),
            "difference": self.first_as_dict(),
        }

    def first_as_dict(self) -> Optional[Dict[str, object]]:
        """The difference alone for the journal; None where there is none."""
        if self.difference is None:
            return None
        return dict(self.difference._asdict(), call=self.call, step=self.step)


def compare(
    left: Sequence[Call], right: Sequence[Call], fields: Iterable[str] = RETURNED
) -> TrajectoryComparison:
    """Return where two trajectories differ first, as far as both go and were given the same seeds
    and actions.
    """
    names = tuple(fields)
    unknown: Dict[str, None] = {}
    calls = step = 0
    for ours, theirs in zip(left, right):
        if not asked_alike(ours, theirs):
            break
        step += ours.name == "step"
        for name in names:
            difference = _difference(ours, theirs, name)
            if difference is not None:
                return TrajectoryComparison(
                    calls + 1, ours.name, step, difference, tuple(unknown)[:MAX_REASONS]
                )
            unknown.update(dict.fromkeys(_unknown(ours, name)))
        calls += 1
    return TrajectoryComparison(calls, unknown=tuple(unknown)[:MAX_REASONS])


def moves(calls: Iterable[Call]) -> Optional[bool]:
    """Return whether the observations of one instance change; None where there are fewer than two,
    or they cannot be compared.
    """
    first, *others = [call.observation for call in calls if call.observation] or [()]
    if not others or any(opaque_parts(first)):
        return None
    return any(first_difference(first, other) is not None for other in others)


def asked_alike(ours: Call, theirs: Call) -> bool:
    """Return whether two calls ask the same question: one method with one seed or action."""
    if ours.name != theirs.name or ours.seed != theirs.seed:
        return False
    return first_difference(ours.action or NO_ACTION, theirs.action or NO_ACTION) is None


def _difference(ours: Call, theirs: Call, name: str) -> Optional[ValueDifference]:
    left, right = getattr(ours, name), getattr(theirs, name)
    return None if left is None or right is None else first_difference(left, right, name)


def _unknown(call: Call, name: str) -> List[str]:
    value = getattr(call, name)
    return (
        []
        if value is None
        else ["%s is %s" % (key, kind) for key, kind in opaque_parts(value, name)]
    )


def where(journal: str, *names: Optional[str]) -> str:
    """The file of one recording: beside the journals, where no reading looks."""
    return os.path.join(os.path.dirname(journal), ",".join(name or "" for name in names) + SUFFIX)


def named(path: str) -> Tuple[str, ...]:
    """The names that a file of `where` was given."""
    return tuple(os.path.basename(path)[: -len(SUFFIX)].split(","))


def recordings(journal: str) -> List[str]:
    """The files of all recordings of this session."""
    folder = os.path.dirname(journal)
    return [
        os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(SUFFIX)
    ]
