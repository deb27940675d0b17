"""Whole episodes: how far they are followed, and under which managers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from envdoctor.frameworks import profile_of, version_of
from envdoctor.frameworks.profile import Options
from envdoctor.model.facts import Survey
from envdoctor.model.finding import Skipped
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import DIRECT, EPISODE, Scenario, verb_name
from envdoctor.model.trace import FINISHED, Trace

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
    """How far episodes are followed: `steps` each at most, and how many."""

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


def managed(
    subject: str,
    survey: Survey,
    scenarios: Iterable[Scenario],
    traces: Iterable[Trace],
    bound: Bound,
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """The same under each manager, started in the first of the ways in which its plain life was
    played, as far as the time goes; and the reasons why some are left out. Nothing where no end was
    reached without a manager.
    """
    traces = tuple(traces)
    first = followed(traces)
    if first is None or not first.episodes:
        return (), ()
    seconds = LAUNCH + DEARER * first.seconds
    left, wanted, skipped = ROOM, [], []
    for scenario in _one_a_manager(survey, scenarios, traces, bound):
        if seconds > left:
            reason = (
                f"{first.steps} steps to the end of an episode take"
                f" {first.seconds:.1f} s: the time is too short for one in every place"
            )
            skipped.append(Skipped("", subject, scenario.manager, reason, scenario.start_method))
            continue
        left -= seconds
        wanted.append(scenario)
    return (*wanted, *((COMPARED,) if wanted else ())), tuple(skipped)


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
    survey: Survey,
    scenarios: Iterable[Scenario],
    traces: tuple[Trace, ...],
    bound: Bound,
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
    """Whether a plain life went well in a place: where it raised, hung or died, a whole episode
    would only do so again.
    """
    lives = [
        trace for trace in traces if (trace.scenario.name, trace.scenario.place) == ("life", place)
    ]
    return bool(lives) and all(
        life.outcome.kind == FINISHED
        and not any(
            verb_name(event.verb) in ("make", "reset", "step")
            for event in life.records(VerbRecord, state="raised")
        )
        for life in lives
        if not life.scenario.control
    )
