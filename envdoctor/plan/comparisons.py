"""Scenarios that are compared with the rest. Subject and traces in, scenarios out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from envdoctor.analysis.replay_buffers import FORECAST, NAME
from envdoctor.model.facts import Described, Repeated, SameSeed
from envdoctor.model.scenario import (
    BEGINNINGS,
    DIRECT,
    EPISODE,
    EPISODES,
    EXECUTED,
    IMAGES,
    RGB_ARRAY,
    UNSEEDED,
    Scenario,
)
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.episodes import COMPARED
from envdoctor.plan.scenarios import (
    DRAWN_ALONE,
    EPISODE_AGAIN,
    NEXT_EPISODE,
    OTHER_PROCESS,
    OTHER_SEEDS,
    has_one_episode,
    replay_of,
)
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.evidence.close_calls import DRAWS
from envdoctor.rules.evidence.random_streams import (
    GLOBALS,
    differs_after_seed,
    draws_in,
    left_out_by_seed,
    shared,
)

#: Times as long as the first steps of the next one an episode is, and the steps of one that is
#: recorded twice.
MUCH_LONGER, LONGEST = 2, 1000

#: Images of two instances, of which one is made, drawn, closed and collected beside the other.
DRAWN_BESIDE = (
    "make reset@0 step:2@0 render@0 picture@0 make reset@1 step:2@1 render@1 picture@1 step:2@0"
    " picture@0 close@0 step:2@1 picture@1 free@0 step:2@1 picture@1 close@1 drop"
)

#: What is read beside a scenario that a rule needs.
BESIDE = {EPISODE: (*EPISODES, COMPARED.name), NAME: (FORECAST,)}


def comparisons(described: Described, traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """The scenarios that are played for the sake of comparison, once all else was. A second process
    only where none was started by a manager, and where it can tell anything; other seeds only where
    an instance began without one as it had with the first; no seeds only where forked workers draw
    from a generator of their process; the episode after the one with a seed only where one draws
    from a generator that the seed leaves as it is, or where the checker saw it differ; a whole
    episode twice only where the one after the first ended in its first steps.
    """
    traces = tuple(traces)
    life_traces = [
        trace for trace in traces if trace.scenario.traits.plain and not trace.scenario.control
    ]
    alone, managed = (
        [trace for trace in life_traces if trace.scenario.manager == DIRECT],
        [trace for trace in life_traces if trace.scenario.manager != DIRECT],
    )
    wanted = [replay_of(trace.scenario.manager for trace in managed)] if managed else []
    wanted += [OTHER_SEEDS] if described.seedable and _begins_again(traces) else []
    executed = any(
        trace.scenario.start_method in EXECUTED and trace.verbs("step", "ended")
        for trace in managed
    )
    goes_on = any(left_out_by_seed(trace) or differs_after_seed(trace) for trace in traces)
    wanted += [NEXT_EPISODE] if described.seedable and goes_on else []
    wanted += [*_episode_again(traces)] if described.seedable else []
    wanted += [unseeded(*trace.scenario.place) for trace in managed if _may_begin_alike(trace)]
    same = alone[-1].fact(SameSeed) if alone else None
    alike = same is not None and not same.differs
    if alike and described.seedable and not executed:
        wanted.append(OTHER_PROCESS)
    return tuple(wanted)


def images(described: Described) -> tuple[Scenario, ...]:
    """The comparison of two instances' images with those of one, where render() returns images: in
    the mode that was asked for, or without a request, where one was drawn alone before.
    """
    asked = described.render_mode
    offered = described.render_modes if asked is None else (asked,)
    if RGB_ARRAY not in offered or has_one_episode(described):
        return ()
    if asked is not None:
        return (Scenario(IMAGES, f"{DRAWN_ALONE} {DRAWN_BESIDE} {DRAWN_ALONE}"),)
    options = (("render_mode", RGB_ARRAY),)
    return (Scenario(IMAGES, f"windowless {DRAWN_BESIDE}", options=options),)


def fails_alone(scenario: Scenario, traces: Iterable[Trace]) -> bool:
    """Return whether images of two would show nothing: those of one do not come."""
    return scenario.name == IMAGES and any(
        trace.outcome.kind != FINISHED or any(trace.verbs(name, "raised") for name in DRAWS)
        for trace in traces
        if trace.scenario.option("render_mode", None) == scenario.option("render_mode", None)
        and trace.scenario.manager == DIRECT
    )


def unseeded(manager: str, start_method: str | None) -> Scenario:
    """A life in which no reset() has a seed: what forked workers inherit decides."""
    return Scenario(UNSEEDED, "make begin step:3 begin close drop", manager, start_method)


def _episode_again(traces: Iterable[Trace]) -> Iterator[Scenario]:
    """The first whole episode without a manager twice, where the next one was much shorter."""
    for trace in traces:
        if (trace.scenario.manager, trace.scenario.name) != (DIRECT, EPISODE):
            continue
        first = next(iter(trace.verbs("episode", "ended")), None)
        later = next((each for each in trace.verbs("step", "ended") if each.ends), None)
        steps = first.episodes[0].step if first and len(first.episodes) == 1 else 0
        if later is not None and later.steps * MUCH_LONGER <= steps <= LONGEST:
            yield Scenario(EPISODE_AGAIN, f"make reset step:{steps} reseed step:{steps} close drop")


def _may_begin_alike(life: Trace) -> bool:
    """Return whether forked workers drew from a generator of their process, which their seeds did
    decide.
    """
    return (
        life.scenario.start_method == "fork"
        and any(draws_in(source, life) for source in GLOBALS)
        and not set(GLOBALS) & set(shared(life))
    )


def _begins_again(traces: Iterable[Trace]) -> bool:
    """Return whether one instance began without a seed as it had with one."""
    reused = [trace for trace in traces if trace.scenario.traits.reuses]
    repeated = reused[-1].fact(Repeated) if reused else None
    return repeated is not None and repeated.calls > 0 and not repeated.differs


def played_again(
    rules: Iterable[Rule],
    places: Collection[tuple[str, str | None]],
    earlier: Iterable[Trace],
    again: Iterable[Trace],
) -> tuple[Scenario, ...]:
    """The scenarios of earlier traces, in these places, that the rules need, compare or also read,
    and that were not played again yet. What is the last resort also needs whole episodes.
    """
    rules = tuple(rules)
    names = {
        name for rule in rules for name in (*rule.needs, *rule.also_reads, rule.compares) if name
    }
    names |= {EPISODE, BEGINNINGS} if any(rule.last_resort for rule in rules) else set()
    names |= {name for needed in names & BESIDE.keys() for name in BESIDE[needed]}
    known = {(trace.scenario.name, trace.scenario.place) for trace in again}
    return tuple(
        dict.fromkeys(
            trace.scenario
            for trace in earlier
            if trace.scenario.name in names
            and trace.scenario.place in places
            and not trace.scenario.control
            and (trace.scenario.name, trace.scenario.place) not in known
        )
    )
