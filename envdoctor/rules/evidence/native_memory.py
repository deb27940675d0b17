"""The C allocator's memory that a closed environment holds until it is dropped."""

from __future__ import annotations

from envdoctor.model.facts import ReachableBytes
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.trace import Life
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import POINTS_IN_LIFE, has_close

HEAP = "native-heap"
LEAST = 4 << 20  # bytes


@dataclass(frozen=True)
class HeldMemory:
    """Bytes that a closed instance held and its last reference gave back, without those of its
    Python objects; `came` and `went` are with them. `call` is the one that allocated most.
    """

    held: int
    came: int
    went: int
    call: str


def native_memory_held(view: View) -> HeldMemory | None:
    """The memory that the last life held; None where that is little, or not known. What a first
    life loads may be a library's.
    """
    life = view.last_life()
    objects = _bytes_of_objects(view, life)
    if life is None or objects is None or not has_close(view):
        return None
    came = life.change(HEAP, "before", "held") or 0
    went = -(life.change(HEAP, "held", "collected") or 0)
    held = min(came, went) - objects
    return HeldMemory(held, came, went, _allocating_call(life)) if held >= LEAST else None


def too_many_objects(view: View) -> str:
    """The reason why it is not known what of the memory is not Python's, or nothing."""
    facts = _looked_at(view, view.last_life())
    unknown = any(fact.bytes is None for fact in facts)
    return (
        "the environment leads to too many Python objects to count their bytes" if unknown else ""
    )


def _looked_at(view: View, life: Life | None) -> list[ReachableBytes]:
    trace = view.trace("life")
    if trace is None or life is None or not life.number:
        return []
    return [fact for fact in trace.facts(ReachableBytes) if fact.life == life.number]


def _bytes_of_objects(view: View, life: Life | None) -> int | None:
    return next((fact.bytes for fact in _looked_at(view, life)), None)


def _allocating_call(life: Life) -> str:
    """The call that allocated most of it, or nothing."""
    before = "before"
    rises: dict[str, int] = {}
    for point, words in POINTS_IN_LIFE:
        rise = life.change(HEAP, before, point)
        if rise is not None:
            rises[words] = max(0, rise)
            before = point
    largest = max(rises, key=lambda words: rises[words], default="")
    return largest if largest and 2 * rises[largest] > sum(rises.values()) else ""
