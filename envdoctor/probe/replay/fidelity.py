"""Comparison of what is kept with what the subject produced: fingerprints of everything, and a few
witnesses in full.
"""

from __future__ import annotations

from array import array
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from envdoctor.model.trajectory import Frozen
from envdoctor.probe.comparison.frozen import first_difference, freeze
from envdoctor.probe.replay.storages import Store

MAX_SLOTS = 512  # that are read back
MAX_NAMED = 8  # slots that are named
SLICES, LENGTH = 32, 8  # stretches of episodes that are read back, and their transitions
UNSLICED = ("done", "terminated", "truncated")  # what samplers mark themselves


class Fingerprints:
    """One number for each transition, of what its storage is to keep. There is room for `total`
    before the first.
    """

    def __init__(self, total: int) -> None:
        self.full = array("q", [0] * total)
        self.sliced = array("q", [0] * total)  # without what a sampler marks

    def take(self, number: int, form: Dict[str, object]) -> None:
        """Remember one."""
        if number < len(self.full):
            frozen = freeze(form)
            self.full[number], self.sliced[number] = hash(frozen), hash(_unmarked(frozen))

    def same(self, number: int, form: Dict[str, object]) -> bool:
        """Return whether it is what it was; true where it was not remembered."""
        return number >= len(self.full) or self.full[number] == hash(freeze(form))

    def same_in_slice(self, number: int, form: Dict[str, object]) -> bool:
        """As `same`, for what a sampler returned."""
        return number >= len(self.sliced) or self.sliced[number] == hash(_unmarked(freeze(form)))


def _unmarked(frozen: Frozen) -> Tuple[object, ...]:
    return tuple(
        item for item in frozen[1] if item[0].strip("'").rpartition(".")[2] not in UNSLICED
    )


def numbers_kept(pushed: int, kept: int, most: int = MAX_SLOTS) -> List[int]:
    """The transitions that a ring of `kept` slots holds after `pushed`: all of them, or so many
    spread evenly.
    """
    stride = max(1, -(-kept // most))
    return list(range(pushed - kept, pushed, stride))


def changed(
    store: Store, prints: Fingerprints, pushed: int, capacity: int
) -> Tuple[int, List[int]]:
    """(transitions that were read back, numbers of those that are not what they were)."""
    numbers = numbers_kept(pushed, len(store))
    return len(numbers), [
        number for number in numbers if not prints.same(number, store.read(number % capacity))
    ]


class Changed(NamedTuple):
    """A kept transition that is not what it was, as the journal has it
    (`model.facts.replay_buffers.ChangedEntry`).
    """

    key: str
    place: Optional[Tuple[int, ...]]
    what: str
    values: Tuple[str, str]
    slot: int


class Witnesses:
    """The last transitions in full, as they were when they were added."""

    def __init__(self, store: Store, capacity: int) -> None:
        self.store = store
        self.capacity = capacity
        self.frozen: Dict[int, Frozen] = {}

    def add(self, number: int, form: Dict[str, object]) -> None:
        """One that was added just now."""
        self.frozen[number] = freeze(form)

    def first_change(self) -> Optional[Changed]:
        """The first difference between then and now, or None."""
        for number, then in sorted(self.frozen.items()):
            difference = first_difference(then, freeze(self.store.read(number % self.capacity)))
            if difference is not None:
                return Changed(
                    difference.key.strip("[]'\""),
                    difference.place,
                    difference.what,
                    difference.values,
                    number % self.capacity,
                )
        return None


def shared(store: Store, slots: Iterable[int], key: str) -> List[int]:
    """Slots whose entries of one key lie in the same memory as an earlier one's."""
    slots = list(slots)
    kept = store.leaves(slots).get(key, [])
    places: Dict[object, List[int]] = {}
    for index, leaf in enumerate(kept):
        places.setdefault(_address(leaf), []).append(slots[min(index, len(slots) - 1)])
    crowd = max(places.values(), key=len, default=[])
    return crowd[:MAX_NAMED] if len(crowd) > 1 else []


def _address(leaf: Any) -> object:
    if callable(getattr(leaf, "data_ptr", None)):
        return leaf.data_ptr()
    address = getattr(getattr(leaf, "ctypes", None), "data", None)  # of one of numpy's arrays
    return address if isinstance(address, int) else id(leaf)


def slices(store: Store, prints: Fingerprints, length: int) -> Dict[str, object]:
    """{compared, transitions, wrong, torn, failed}: stretches of episodes through the
    framework's own sampler, where it has one.
    """
    try:
        drawn = store.slices(length, SLICES)
    except Exception as error:  # the framework's words
        return {
            "compared": 0,
            "transitions": 0,
            "wrong": 0,
            "torn": 0,
            "failed": "%s: %s" % (type(error).__name__, str(error)[:300]),
        }
    if drawn is None:
        return {"compared": 0, "transitions": 0, "wrong": 0, "torn": 0, "failed": ""}
    wrong = sum(
        any(not prints.same_in_slice(sampled.number, sampled.form) for sampled in stretch)
        for stretch in drawn
    )
    torn = sum(not _contiguous([sampled.number for sampled in stretch]) for stretch in drawn)
    return {
        "compared": len(drawn),
        "transitions": sum(map(len, drawn)),
        "wrong": wrong,
        "torn": torn,
        "failed": "",
    }


def _contiguous(numbers: List[int]) -> bool:
    return all(later == earlier + 1 for earlier, later in zip(numbers, numbers[1:]))
