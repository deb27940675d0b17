"""Random generators that the instances of different workers draw from in step with one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envdoctor.model.facts import CheckFailure
from envdoctor.model.records import InstanceRecord, RandomStates
from envdoctor.model.trace import Trace

# {number of the reset: the states before and after it}.
Resets = Mapping[int, RandomStates]

GLOBALS = ("random", "numpy.random", "torch")
AFTER_SEED = "then `env.reset()` is non-deterministic"  # in words of Gymnasium's checker


def of_workers(trace: Trace) -> list[Resets]:
    """The random states around the resets of each instance, those of every launch."""
    result: dict[tuple[int, int], dict[int, RandomStates]] = {}
    for event in trace.records(InstanceRecord, what="reset"):
        if event.random:
            result.setdefault(event.key, {})[event.resets] = event.random
    return [*result.values()]


def is_of_process(source: str) -> bool:
    """Return whether all instances of a process draw from a source: it is a library's, or a
    module's.
    """
    return not source.startswith("self.")


def left_out_by_seed(trace: Trace | None) -> list[str]:
    """Sources from which the second reset of one instance draws, which has no seed, and that the
    seed of its third leaves as they are: it was the seed of its first.
    """
    if trace is None or not trace.scenario.traits.reuses or not of_workers(trace):
        return []
    first, second, third = (of_workers(trace)[0].get(n, RandomStates()) for n in (1, 2, 3))
    return [
        source
        for source in sorted(third.after)
        if source in second.before
        and second.before[source] != second.after.get(source)
        and third.before.get(source) == third.after[source] != first.after.get(source)
    ]


def differs_after_seed(trace: Trace) -> bool:
    """Return whether Gymnasium's checker saw that reset() after a seeded one differs, from time to
    time.
    """
    return any(AFTER_SEED in failure.message for failure in trace.facts(CheckFailure))


def made_anew(trace: Trace | None) -> list[str]:
    """Sources that the second reset of two instances, which has no seed, does not go on with: they
    are in one state before it, and in two after it.
    """
    several = of_workers(trace) if trace is not None else []
    seconds = [resets[2] for resets in several if 2 in resets]
    if len(seconds) < 2:
        return []
    return [
        source
        for source in sorted(seconds[0].before)
        if len({reset.before.get(source) for reset in seconds}) == 1
        and len({reset.after.get(source) for reset in seconds}) > 1
    ]


def pids(trace: Trace) -> set[int]:
    """The processes in which instances were reset."""
    return {event.pid for event in trace.records(InstanceRecord, what="reset")}


def shared(trace: Trace) -> list[str]:
    """Sources that all instances draw from and that are in the same state in all of them, before
    and after what was drawn, and that go on: one that each reset() sets back to the same state is
    meant to be.
    """
    workers = of_workers(trace)
    if len(workers) < 2:
        return []
    sources = sorted(set.intersection(*(_sources(resets) for resets in workers)))
    # In one process they draw from one stream, one after the other.
    if len(pids(trace)) < len(workers):
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
    known = [resets.get(number, RandomStates()) for number in (1, 2)]
    return [
        state.get(source, "")
        for random_states in known
        for state in (random_states.before, random_states.after)
    ]


def draws_in(source: str, trace: Trace) -> list[str]:
    """The methods between whose calls its state changed: "reset", "step"."""
    for resets in of_workers(trace):
        before, after, again, then = _history(source, resets)
        draws = [
            call
            for call, changed in (
                ("reset", before not in ("", after) or again not in ("", then)),
                ("step", again not in ("", after)),
            )
            if changed
        ]
        if draws:
            return draws
    return []


def going_on(trace: Trace | None) -> list[str]:
    """Sources that have another state after each reset without a seed."""
    return [source for source, (_, first, _, after) in _unseeded(trace) if first != after]


def reset_to_one_state(trace: Trace | None) -> list[str]:
    """Sources that the resets without a seed take back to one state."""
    return [
        source for source, (_, first, before, after) in _unseeded(trace) if first == after != before
    ]


def _unseeded(trace: Trace | None) -> list[tuple[str, list[str]]]:
    """The states of each source before and after the second and the third reset, which have no
    seed, where all are known.
    """
    resets = of_workers(trace)[0] if trace and of_workers(trace) else {}
    second, third = (resets.get(number, RandomStates()) for number in (2, 3))
    histories = {
        source: [
            state.get(source, "")
            for random_states in (second, third)
            for state in (random_states.before, random_states.after)
        ]
        for source in sorted(third.after)
    }
    return [(source, states) for source, states in histories.items() if all(states)]


def said(sources: Iterable[str]) -> str:
    """`numpy.random and self.np_random`."""
    return " and ".join(
        "self.np_random" if source == "self._np_random" else source for source in sources
    )
