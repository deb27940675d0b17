"""Which random generators the instances of different workers draw from in step with one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envdoctor.model.records import InstanceRecord, RandomStates
from envdoctor.model.trace import Trace

# {number of the reset: the states before and after it}.
Resets = Mapping[int, RandomStates]

GLOBALS = ("random", "numpy.random", "torch")


def of_workers(played: Trace) -> list[Resets]:
    """The random states around the resets of each instance, those of every launch."""
    found: dict[tuple[int, int], dict[int, RandomStates]] = {}
    for event in played.records(InstanceRecord, what="reset"):
        if event.random:
            found.setdefault(event.key, {})[event.resets] = event.random
    return [*found.values()]


def is_of_process(source: str) -> bool:
    """Return whether all instances of a process draw from a source: it is a library's, or a
    module's.
    """
    return not source.startswith("self.")


def left_out_by_seed(played: Trace | None) -> list[str]:
    """Sources from which the second reset of one instance draws, which has no seed, and that the
    seed of its third leaves as they are: it was the seed of its first.
    """
    if played is None or not played.scenario.traits.reuses or not of_workers(played):
        return []
    first, second, third = (of_workers(played)[0].get(n, RandomStates()) for n in (1, 2, 3))
    return [
        source
        for source in sorted(third.after)
        if source in second.before
        and second.before[source] != second.after.get(source)
        and third.before.get(source) == third.after[source] != first.after.get(source)
    ]


def pids(played: Trace) -> set[int]:
    """The processes in which instances were reset."""
    return {event.pid for event in played.records(InstanceRecord, what="reset")}


def shared(played: Trace) -> list[str]:
    """Sources that all instances draw from and that are in the same state in all of them, before
    and after what was drawn, and that go on: one that each reset() sets back to the same state is
    meant to be.
    """
    workers = of_workers(played)
    if len(workers) < 2:
        return []
    sources = sorted(set.intersection(*(_sources(resets) for resets in workers)))
    # In one process they draw from one stream, one after the other.
    if len(pids(played)) < len(workers):
        sources = [source for source in sources if not is_of_process(source)]
    return [source for source in sources if _drawn_alike(source, workers)]


def _sources(resets: Resets) -> set[str]:
    return {source for states in resets.values() for source in states.after}


def _drawn_alike(source: str, workers: list[Resets]) -> bool:
    """Nothing is known where the second reset was never reached."""
    first, *others = [_history(source, resets) for resets in workers]
    return first[-1] not in ("", first[1]) and all(other == first for other in others)


def _history(source: str, resets: Resets) -> list[str]:
    """Its states before and after the first two resets."""
    seen = [resets.get(number, RandomStates()) for number in (1, 2)]
    return [state.get(source, "") for one in seen for state in (one.before, one.after)]


def draws_in(source: str, played: Trace) -> list[str]:
    """The methods between whose calls its state changed: "reset", "step"."""
    for resets in of_workers(played):
        before, after, again, then = _history(source, resets)
        found = [
            call
            for call, changed in (
                ("reset", before not in ("", after) or again not in ("", then)),
                ("step", again not in ("", after)),
            )
            if changed
        ]
        if found:
            return found
    return []


def going_on(played: Trace | None) -> list[str]:
    """Sources that have another state after each reset without a seed."""
    return [source for source, (_, first, _, after) in _unseeded(played) if first != after]


def taken_back(played: Trace | None) -> list[str]:
    """Sources that the resets without a seed take back to one state."""
    return [
        source
        for source, (_, first, before, after) in _unseeded(played)
        if first == after != before
    ]


def _unseeded(played: Trace | None) -> list[tuple[str, list[str]]]:
    """The states of each source before and after the second and the third reset, which have no
    seed, where all are known.
    """
    resets = of_workers(played)[0] if played and of_workers(played) else {}
    second, third = (resets.get(number, RandomStates()) for number in (2, 3))
    histories = {
        source: [
            state.get(source, "") for one in (second, third) for state in (one.before, one.after)
        ]
        for source in sorted(third.after)
    }
    return [(source, states) for source, states in histories.items() if all(states)]


def said(sources: Iterable[str]) -> str:
    """`numpy.random and self.np_random`."""
    return " and ".join(
        "self.np_random" if source == "self._np_random" else source for source in sources
    )
