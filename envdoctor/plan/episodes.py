"""Whole episodes: how far they are followed, and under which managers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from envdoctor.frameworks import profile_of, version_of
from envdoctor.frameworks.profile import Options
from envdoctor.model.facts import Survey
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Skipped
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT, EPISODE, EXECUTED, Scenario, verb_name
from envdoctor.model.trace import FINISHED, INTERRUPTED, Trace
from envdoctor.plan.scenarios import vector_life

Place = tuple[str, str | None]

#: Enough for CartPole (500), LunarLander and MuJoCo (1,000), and most of MiniGrid.
STEPS = 2000

#: Seconds that episodes under managers may take together, as one without a manager foretells it.
ROOM = 30.0
LAUNCH = 0.5  # seconds that a launch takes beside its steps
DEARER = 3.0  # times as long as alone a step may take, with two instances and their pipes

#: What is compared with it, once all were played.
COMPARED = Scenario("episode-alone", "replay:episode")


@dataclass(frozen=True)
class Bound:
    """The limits of whole episodes: `steps` of each at most, and how many."""

    steps: int = STEPS
    episodes: int = 1


def alone(bound: Bound, once: bool = False) -> Scenario:
    """Whole episodes without a manager, and a few steps of the next one; a single episode where
    an instance has only `once`.
    """
    if once:
        return Scenario(EPISODE, f"make reset {_episodes(replace(bound, episodes=1))} close drop")
    return Scenario(EPISODE, f"make reset {_episodes(bound)} reset step:5 close drop")


def _episodes(bound: Bound) -> str:
    times = f"x{bound.episodes}" if bound.episodes > 1 else ""
    return f"episode:{bound.steps}{times}"


def together(
    survey: Survey, scenarios: Iterable[Scenario], traces: Iterable[Trace], bound: Bound
) -> dict[Scenario, Scenario]:
    """Plain lives that have their whole episode in the same launch: {life: what is played first in
    its place}. Workers that are programs of their own import everything again, so that a launch
    costs more than all that is played in it. The episode is the life's first, of new instances as
    in a launch of its own. None where the time is too short for an episode in every place.
    """
    first = followed(traces)
    if first is None or not first.episodes:
        return {}
    by_manager: dict[str, Scenario] = {}
    for scenario in scenarios:
        if scenario.traits.plain:
            by_manager.setdefault(scenario.manager, scenario)
    number = sum(1 + len(_modes(manager, survey)) for manager in by_manager)
    if number * _seconds(first) > ROOM:
        return {}
    return {
        life: replace(life, script=life.script.replace(" step", f" {_episodes(bound)} step", 1))
        for life in by_manager.values()
        if life.start_method in EXECUTED
    }


def has_both(trace: Trace) -> bool:
    """True where a life with a whole episode came to its end: no other launch is needed."""
    return trace.outcome.kind == INTERRUPTED or (
        trace.outcome.kind == FINISHED and not any(trace.records(VerbRecord, state="raised"))
    )


def found_together(findings: Iterable[Finding], traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """The plain lives of the places with a finding whose life had a whole episode: played alone,
    so that no finding comes of both.
    """
    places = {(finding.manager, finding.start_method) for finding in findings}
    return tuple(
        vector_life(*trace.scenario.place)
        for trace in traces
        if _is_life_with_episode(trace) and trace.scenario.place in places
    )


def separated(traces: Iterable[Trace]) -> list[Trace]:
    """The traces, of which a life with a whole episode is that episode alone where the plain life
    was played as well, and follows it; it is left out where that life did not go well either.
    """
    kept: list[Trace] = []
    waiting: dict[Place, Trace] = {}
    for trace in traces:
        place = trace.scenario.place
        if _is_life_with_episode(trace):
            waiting[place] = trace
        elif trace.scenario.traits.plain and not trace.scenario.control and place in waiting:
            earlier = waiting.pop(place)
            kept = [*(other for other in kept if other is not earlier), trace]
            if lived(place, [trace]):
                kept.append(replace(earlier, scenario=replace(earlier.scenario, name=EPISODE)))
            continue
        kept.append(trace)
    return kept


def _is_life_with_episode(trace: Trace) -> bool:
    return trace.scenario.name != EPISODE and trace.scenario.serves_as(EPISODE)


def managed(
    subject: str,
    survey: Survey,
    scenarios: Iterable[Scenario],
    traces: Iterable[Trace],
    bound: Bound,
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """Return the same under each manager, started in the first of the ways in which its plain life
    was played, as far as the time goes; and the reasons why some are left out. Empty if no episode
    ended without a manager.
    """
    traces = tuple(traces)
    first = followed(traces)
    if first is None or not first.episodes:
        return (), ()
    seconds = _seconds(first)
    left, wanted, skipped = ROOM, [], []
    followed_already = {
        trace.scenario.place
        for trace in traces
        if trace.scenario.manager != DIRECT and trace.scenario.serves_as(EPISODE)
    }
    for scenario in _one_a_manager(survey, scenarios, traces, bound):
        if scenario.name == EPISODE and scenario.place in followed_already:
            left -= seconds
            continue
        if seconds > left:
            reason = (
                f"{first.steps} steps to the end of an episode take"
                f" {first.seconds:.1f} s: the time is too short for one in every place"
            )
            skipped.append(Skipped("", subject, scenario.manager, reason, scenario.start_method))
            continue
        left -= seconds
        wanted.append(scenario)
    compared = (COMPARED,) if wanted or followed_already else ()
    return (*wanted, *compared), tuple(skipped)


def _seconds(first: VerbRecord) -> float:
    """Seconds that an episode under a manager may take, as one without a manager foretells it."""
    return LAUNCH + DEARER * first.seconds


def followed(traces: Iterable[Trace]) -> VerbRecord | None:
    """The event of the first whole episode without a manager that ended well."""
    for trace in traces:
        if trace.scenario.manager == DIRECT and trace.scenario.name == EPISODE:
            return next(iter(trace.verbs("episode", "ended")), None)
    return None


def steps_followed(traces: Iterable[Trace]) -> int:
    """The steps to the end of the first whole episode without a manager; all that were played where
    it has no end; 0 where none went well.
    """
    event = followed(traces)
    if event is None:
        return 0
    return event.episodes[0].step if event.episodes else event.steps


def _one_a_manager(
    survey: Survey, scenarios: Iterable[Scenario], traces: tuple[Trace, ...], bound: Bound
) -> Iterator[Scenario]:
    """One place a manager, in the modes that it has: those in which its plain life ended well."""
    script = f"make reset {_episodes(bound)} step:3 close drop"
    places = dict.fromkeys(scenario.place for scenario in scenarios if scenario.name == "life")
    chosen: dict[str, Scenario] = {}
    for manager, method in places:
        if manager not in chosen and lived((manager, method), traces):
            chosen[manager] = Scenario(EPISODE, script, manager, method)
    yield from chosen.values()
    for manager, scenario in chosen.items():
        for name, mode in _modes(manager, survey):
            yield replace(scenario, name=name, options=(("autoreset_mode", mode),))


def _modes(manager: str, survey: Survey) -> Options:
    """A manager's other ways to go on after an end, where its framework's version has them."""
    from envdoctor.rules.evidence.expectations import version_of as numbers

    profile = profile_of(manager)
    installed = version_of(manager, survey.frameworks)
    has_them = bool(installed) and numbers(installed) >= profile.modes_since
    return profile.autoreset_modes if has_them else ()


def lived(place: tuple[str, str | None], traces: Iterable[Trace]) -> bool:
    """Return True if a plain life went well in a place. Where it raised, hung or died, a whole
    episode would only do so again.
    """
    life_traces = [
        trace for trace in traces if (trace.scenario.name, trace.scenario.place) == ("life", place)
    ]
    return bool(life_traces) and all(
        life.outcome.kind == FINISHED
        and not any(
            verb_name(event.verb) in ("make", "reset", "step")
            for event in life.records(VerbRecord, state="raised")
        )
        for life in life_traces
        if not life.scenario.control
    )
