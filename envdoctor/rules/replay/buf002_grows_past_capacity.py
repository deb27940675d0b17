"""A replay storage goes on growing when it is full.

What it does
    Fills the storage with transitions of the environment up to its capacity, and then turns it
    over, as often as something grows. As many transitions come as go, so that Python's blocks and
    malloc's bytes must stand still. What rises by about the same in three whole turns is reported.
    The rise until the capacity is reached is not a leak: that is what a storage is for.

    Two more plays show the cause: the same storage with a null environment, and the
    environment without a storage.

Why it matters
    A capacity is a promise about memory. Where it does not hold, every size that was computed from
    it is wrong, and training dies long after the storage was full.

How to fix it
    Let observations keep one size, and let nothing else hold on to them:

        # The last entries, not the whole log, which is longer at every step:
        observation = np.asarray(self._log[-16:])
        # A digest, not the observation itself:
        self._seen.append(hash(observation.tobytes()))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from envdoctor.analysis.replay_buffers import NAME
from envdoctor.model.facts import PastCapacity
from envdoctor.model.finding import ENVIRONMENT, MANAGER, Finding
from envdoctor.model.meters import HEAP, OBJECTS
from envdoctor.model.units import size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.replay_buffers import (
    Stored,
    filled,
    forecast,
    grown,
    not_filled,
    stored,
    stored_view,
    turns,
)

BIGGER = 1.05  # times the bytes of an observation one turn before
# Of the growth that is there without the storage, too: then it is none of the storage's.
AS_MUCH = 0.5


@rule(
    "BUF002",
    "grows-past-capacity",
    where=DIRECT_ONLY,
    needs=(NAME,),
    blames_itself=True,
    unjudged=not_filled,
    gives_way=(
        Cause.OBJECTS_GROW,
        Cause.PYTHON_MEMORY_GROWS,
        Cause.NATIVE_MEMORY_GROWS,
        Cause.MAPPED_MEMORY_GROWS,
        Cause.GARBAGE_GROWS,
    ),
)
def grows_past_capacity(view: View) -> Iterator[Finding]:
    for item in stored(view):
        rises, past = grown(item.filled), item.past
        if not rises:
            continue
        yield grows_past_capacity.finding(
            f"{item.name} grows past its capacity of {item.capacity:,}: {_pace(rises, past)} more"
            f" per transition through {len(past.turns)} whole turns{_why(item, past)}",
            _remedy(view, item, past),
            evidence={
                "storage": item.name,
                "capacity": item.capacity,
                "turns": _turns(past),
                "holder": _holder(past),
            },
            explained_by=_explanations(item),
            blame=MANAGER if grown(item.control) else ENVIRONMENT,
        )


def _pace(rises: Mapping[str, int], past: PastCapacity) -> str:
    stored = max(1, past.turns[-1].stored)
    words = {
        HEAP: size(rises.get(HEAP, 0) / stored),
        OBJECTS: f"{rises.get(OBJECTS, 0) / stored:.3g} Python objects",
    }
    return " and ".join(words[meter] for meter in (HEAP, OBJECTS) if meter in rises)


def _turns(past: PastCapacity) -> list[dict[str, int]]:
    return [
        {"stored": turn.stored, **{meter: turn.rose.get(meter, 0) for meter in (HEAP, OBJECTS)}}
        for turn in past.turns
    ]


def _gets_bigger(past: PastCapacity) -> tuple[int, int] | None:
    sizes = [turn.observation for turn in past.turns]
    return (sizes[0], sizes[-1]) if sizes[0] and sizes[-1] > BIGGER * sizes[0] else None


def _holder(past: PastCapacity) -> str:
    """Return the holder of observations whose places were taken, where most of them live on."""
    return past.holder if past.alive > past.followed / 2 else ""


def _without_storage(item: Stored) -> bool:
    alone, rises = grown(item.alone), grown(item.filled)
    return bool(alone) and all(
        alone.get(meter, 0) >= AS_MUCH * rise for meter, rise in rises.items()
    )


def _explanations(item: Stored) -> tuple[Cause, ...]:
    """Return leaks in every cycle that explain it, where it grows without a storage as well."""
    if _without_storage(item) and not _holder(item.past):
        return (
            Cause.OBJECTS_GROW,
            Cause.PYTHON_MEMORY_GROWS,
            Cause.NATIVE_MEMORY_GROWS,
            Cause.MAPPED_MEMORY_GROWS,
            Cause.GARBAGE_GROWS,
        )
    return ()


def _why(item: Stored, past: PastCapacity) -> str:
    bigger, holder = _gets_bigger(past), _holder(past)
    if grown(item.control):
        return "; so it does with a null environment"
    if bigger:
        return f"; the observations get bigger, {size(bigger[0])} and then {size(bigger[1])}"
    if holder:
        return f"; observations that it let go are kept in {holder}"
    return "; so does the environment without a storage" if _without_storage(item) else ""


def _remedy(view: View, item: Stored, past: PastCapacity) -> str:
    if grown(item.control):
        return (
            f"it is {item.forecast.class_name}'s own: take another storage, or another version of"
            " its framework."
        )
    if _gets_bigger(past):
        return (
            f"let the observations of {view.class_name} keep one size: a window instead of the"
            " whole history."
        )
    if _holder(past):
        return (
            f"let {view.class_name} keep what it needs to know of an observation, not the"
            f" observation: bound {_holder(past)}, or copy out of it."
        )
    return (
        f"bound what {view.class_name} keeps of every step (a deque with maxlen), or let go of it"
        " in reset()."
    )


EXAMPLES = (
    Example(
        "observations hold the whole episode's log",
        stored_view(
            forecast(), filled(past=turns(heap=8_000_000, observation=(8000, 16000, 24000)))
        ),
        "torchrl-list grows past its capacity of 1,000: 7.8 KiB more per transition through"
        " 3 whole turns; the observations get bigger, 7.8 KiB and then 23.4 KiB",
    ),
    Example(
        "a list of the module holds them all",
        stored_view(
            forecast(), filled(past={**turns(objects=2000), "alive": 8, "holder": "sick.SEEN[3]"})
        ),
        "torchrl-list grows past its capacity of 1,000: 2 Python objects more per"
        " transition through 3 whole turns; observations that it let go are kept in"
        " sick.SEEN[3]",
    ),
    Example(
        "the storage itself grows",
        replace(
            stored_view(forecast(), filled(past=turns(objects=2000))),
            control=stored_view(filled(past=turns(objects=2000))),
        ),
        "torchrl-list grows past its capacity of 1,000: 2 Python objects more per"
        " transition through 3 whole turns; so it does with a null environment",
    ),
    Example("it stands still", stored_view(forecast(), filled(past=turns(objects=12)))),
)
