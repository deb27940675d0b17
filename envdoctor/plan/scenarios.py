"""Scenarios of a run: subject and request in, scenarios out. A new scenario is one line here."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from envdoctor.frameworks import (
    DEFAULT,
    PROFILES,
    UNCHECKED,
    Profile,
    profile_of,
    profile_of_api,
    vectorizer_of,
)
from envdoctor.model.facts import Described, ProcessState, Survey, SurveyedManager, Toolkits
from envdoctor.model.finding import ENVIRONMENT, MANAGER, NOTE, Finding, Skipped
from envdoctor.model.records import ReadingRecord, VerbRecord
from envdoctor.model.scenario import (
    BEGINNINGS,
    DIRECT,
    EXECUTED,
    FAILING_RESET,
    HUMAN,
    IN_THREAD,
    OVERWRITTEN,
    RGB_ARRAY,
    TWO_RENDERED,
    TWO_WINDOWS,
    WITHOUT_BUFFERS,
    WITHOUT_SHADOW,
    WITHOUT_SHARED_MEMORY,
    Scenario,
)
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.relaunches import opened_again
from envdoctor.rules.evidence.failing_resets import acquired_by_reset

Place = tuple[str, str | None]

#: What is judged besides where replay storages are filled.
STORAGE_CODES = ("BUF",)

SURVEY = Scenario("survey", "survey")

#: The first call of a function: whether it builds an environment, and whether it comes back.
FIRST_CALL = Scenario("first-call", "call")

LIFE = "make reset step:20 render close drop"  # rendered only where it was made with a render mode
VECTOR_LIFE = "make reset step:20 reset mirror:5 close drop"
SECOND_VECTOR_LIFE = "make reset step:20 reset close drop"


#: The first episodes of managers' instances once more, without a manager: played when all managers
#: were.
REPLAY = Scenario("replay", "replay")

#: The same, of those that sent their observations through the pipe.
REPLAY_OF_PIPED = Scenario(
    "replay-of-piped", "replay", options=(("asked_in", WITHOUT_SHARED_MEMORY),)
)

#: The plain life in another process, that hashes otherwise and then alike.
OTHER_PROCESS = Scenario("other-process", "make reset step:20 close drop", hash_seed=1)
OTHER_PROCESS_ALIKE = Scenario("other-process-alike", OTHER_PROCESS.script)

#: What an instance plays without a seed, and with others, where it began again as with the first.
OTHER_SEEDS = Scenario(
    "other-seeds",
    f"make reset step:5{8 * ' repeat step:5'} vary:1 step:5 vary:2 step:5 vary:3 step:5 close drop",
)

#: Two instances that begin with other seeds than 0: `if seed:` is false of that alone.
NONZERO_SEEDS = Scenario(
    "nonzero-seeds",
    " ".join(["make", *(f"vary:{n} step:2" for n in range(1, 5)), "close drop"] * 2),
)

#: Two instances that play longer with four seeds: what is drawn without a seed has few values, and
#: may agree by chance in the plain lives. Case: gym-trading-env draws one of three positions.
MORE_SEEDS = Scenario(
    "more-seeds", " ".join(["make", *(f"vary:{n} step:20" for n in range(1, 5)), "close drop"] * 2)
)

#: Two instances that are reset without a seed after one with a seed.
#: A whole episode of so many steps, twice with the same seed in one instance.
EPISODE_AGAIN = "episode-again"
NEXT_EPISODE = Scenario("next-episode", " ".join(["make reset step:3 begin step:3 close drop"] * 2))

FORK_SERVER, SPAWN = EXECUTED

#: Long enough to see that workers came up and play.
CURED = "make reset step:5 close drop"

#: The plain life, twice: what is taken only once is there before the second.
PLAIN = Scenario("life", f"{LIFE} {LIFE}")

#: One is watched while everything is done to the other. As many steps as the plain life has, with
#: which they are compared.
TWO_AT_ONCE = (
    "make make reset@0 reset@1 step:3@0 step:3@1 reset@0 step:3@1 reseed@0 step:3@1 step:3@0"
    " step:3@1 close@0 step:3@1 drop@0 step:3@1 close@1 drop"
)

#: An instance of which a deep copy is used.
COPIED = Scenario("copied", "make reset step:3 copy step:6 close drop")

#: What is asked of an instance without a manager, after its plain life.
DIRECT_SCRIPTS = {
    "close-before-reset": "make close drop",
    "close-twice": "make reset carry close close drop",
    "reopen": "make reset step:5 close reset step:5 close drop",
    "two-at-once": TWO_AT_ONCE,
    "reuse": "make watch reset step:3 reset step:3 reseed step:3 reset close drop",
    BEGINNINGS: "make reset beginnings:50x20 close drop",
    "pickle": "pickle",
    "abandoned": "make reset step:3 drop",  # last: what it keeps for itself would spoil the others
}

#: Those in which one instance is reset again.
AGAIN = ("reopen", "two-at-once", "reuse", BEGINNINGS)

#: Lives whose first reset() fails: given up, closed, given up again. What is taken only once, by an
#: error as well, is there before the last two; what the first of all resets asks for alone, such as
#: a driver that all instances share, before they are counted.
FAILING = Scenario(
    FAILING_RESET,
    "make reset close drop make count close drop"
    " make deny drop make deny close drop make deny drop",
)

#: Three lives: one without, and those in which each observation, and each info, is overwritten once
#: it was returned.
OVERWRITING = Scenario(OVERWRITTEN, " ".join(3 * ["make reset step:20 close drop"]))

#: A life in a thread, as servers and agents play them.
THREADED = Scenario(IN_THREAD, "threaded:3")

#: The end of a script that never closes. Its probe exits, so it is the last one.
EXIT = Scenario("exit", "make reset step:3 render leave")

#: A life in a render mode without a request for it, twice: in a window, or with images that are
#: compared with those of two; and two windows at once.
RENDERED_LIFE = "make reset step:3 render close drop"
DRAWN_ALONE = "make reset step:2 render picture step:2 picture step:2 picture close drop"
DRAWN_TWICE = "windowless make make reset@0 reset@1 step@0 step@1 close@0 step@1 close@1 drop"

#: Two in the render mode that was asked for: each does what it does in the plain life.
DRAWN_AT_ONCE = (
    "make make reset@0 reset@1 step:20@0 step:20@1 render@0 render@1 close@0 close@1 drop"
)

#: One that is closed and reset again, of which two images are compared.
DRAWN_AGAIN = "make reset step:5 picture close reset step:5 picture close drop"

#: The environment API of what only looks like an environment.
DUCK = "duck"


def survey_of_copy(asked: Collection[str], sensors: Iterable[str]) -> Scenario:
    """The survey of a copy with remedies for rules that ask for these scenarios and sensors. Where
    none of them judges the survey itself, what the libraries' imports do is known already.
    """
    if SURVEY.name in asked:
        return SURVEY
    return replace(SURVEY, options=(("watches", tuple(sorted(set(sensors)))),))


def wants_fresh(scenario: Scenario, traces: Sequence[Trace]) -> bool:
    """Return True if a scenario needs a fresh probe.

    A fork takes no threads with it: state that is made once a process, such as a pool of the
    module, is dead in workers that are forked after the environment was played alone. A script that
    only launches has no such workers. Leftovers of an earlier play would mislead, too: a launch
    that fails because of them, and a cure that is played in another process, would say nothing of
    each other.
    """
    if scenario.traits.fresh or scenario.option("fresh"):
        return True
    if scenario.manager != DIRECT and traces and traces[-1].fact(ProcessState):
        return True
    if scenario.start_method != "fork" or scenario.control or not _launches(scenario):
        return False
    # One instance a process, and an earlier play may hold it: workers would inherit it as well.
    if any(trace.verbs("make", "raised") for trace in traces if trace.scenario.manager == DIRECT):
        return True
    readings = (
        event.by_key("threads")
        for trace in reversed(traces)
        for event in reversed(list(trace.records(ReadingRecord)))
        if event.has("threads")
    )
    threads: Mapping[str, str] = next(readings, {})
    return any(
        text.startswith("python thread") and "MainThread" not in text for text in threads.values()
    )


def _launches(scenario: Scenario) -> bool:
    """Return True if it begins with a launch, and ends with its close."""
    return scenario.traits.launches or (scenario.variant_of != "" and not scenario.traits.rare)


def direct(described: Described) -> tuple[Scenario, ...]:
    """The scenarios without a manager that follow the plain life."""
    own = profile_of_api(described.api)
    checks = (check_by(own),) if own is not None and own.checker else ()
    left_out = AGAIN if has_one_episode(described) else ()
    is_drawn = described.render_mode is not None and not left_out
    drawn = (Scenario(TWO_RENDERED, DRAWN_AT_ONCE),) if is_drawn else ()
    scripts = DIRECT_SCRIPTS | ({"reopen": DRAWN_AGAIN} if is_drawn else {})
    scripts = {name: text for name, text in scripts.items() if name not in left_out}
    return (*checks, *drawn, *(Scenario(name, text) for name, text in scripts.items()))


def has_one_episode(described: Described) -> bool:
    """Return True if the trainers of its API make a new instance for each episode."""
    own = profile_of_api(described.api)
    return own is not None and own.one_episode


def never_played(described: Described) -> dict[str, str]:
    """Return the scenarios that are never played, with reasons: no checker is known for the API, or
    an instance is reset only once.
    """
    own = profile_of_api(described.api)
    reasons = {}
    if own in UNCHECKED:
        reasons["check"] = f"no checker is known for {own.environment}"
    elif own is not None and own is not DEFAULT:
        reasons["check"] = f"{DEFAULT.title}'s checker takes none of {own.title}'s"
    if own is not None and own.one_episode:
        reasons |= dict.fromkeys(AGAIN, f"an instance of {own.title}'s has one episode")
    return reasons


#: What proves an edit, besides the plain life and what its rule asks for.
PROVING = ("check", "close-before-reset", "close-twice", "reopen", "two-at-once", "reuse")


def proving(described: Described, asked: Collection[str]) -> tuple[Scenario, ...]:
    """Return the scenarios without a manager that show if an edit cures without new findings."""
    scenarios = (*direct(described), COPIED, OVERWRITING, OTHER_SEEDS, EXIT)
    return tuple(
        scenario for scenario in scenarios if scenario.name in PROVING or scenario.name in asked
    )


def check_by(framework: Profile, place: Place = (DIRECT, None)) -> Scenario:
    """The checker of a framework that has one."""
    name, script = framework.checker or ("check", "check")
    return Scenario(name, script, *place)


def optional(
    subject: str, described: Described, traces: Iterable[Trace], code: str = ""
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """Return unusual uses of an environment, and the reasons for those left out; empty if it
    crashed or hung so far. They are played last, because they load what draws. `code` is the rule
    that looks at two windows.
    """
    if any(trace.outcome.kind != FINISHED for trace in traces if trace.scenario.manager == DIRECT):
        return (), ()
    drawn, unseen = rendered(subject, described, code)
    return (COPIED, *drawn), unseen


def overwriting(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """Lives whose returned arrays are overwritten, where everything went well so far."""
    return (OVERWRITING,) if in_thread(traces) else ()


def in_thread(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """A life off the main thread, where the plain life went well, and nothing crashed or hung."""
    alone = [trace for trace in traces if trace.scenario.manager == DIRECT]
    life = next((trace for trace in alone if trace.scenario.traits.plain), None)
    well = all(trace.outcome.kind == FINISHED for trace in alone)
    went = life is not None and all(event.state != "raised" for event in life.records(VerbRecord))
    return (THREADED,) if well and went else ()


def failing(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """The lives whose first reset() fails, where the plain life has shown that it takes what could
    be left. To be played last, and not where the environment crashed or hung so far.
    """
    alone = [trace for trace in traces if trace.scenario.manager == DIRECT]
    life = next((trace for trace in alone if trace.scenario.traits.plain), None)
    well = all(trace.outcome.kind == FINISHED for trace in alone)
    return (FAILING,) if life is not None and well and acquired_by_reset(life) else ()


def rendered(
    subject: str, described: Described, code: str = ""
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """Lives in the render modes that the environment offers, and why one is left out. Nothing where
    a mode was asked for: there, all the others are played in it.
    """
    if described.render_mode is not None:
        return (), ()
    modes = described.render_modes
    blind = _why_no_window(described.toolkits) if HUMAN in modes else ""
    scenarios = [
        _in_mode("rendered", f"windowless {life} {life}", mode)
        for mode, life in ((RGB_ARRAY, DRAWN_ALONE), (HUMAN, RENDERED_LIFE))
        if mode in modes and (mode != HUMAN or not blind)
    ]
    scenarios += [_in_mode(TWO_WINDOWS, DRAWN_TWICE, HUMAN)] if HUMAN in modes and not blind else []
    return tuple(scenarios), (Skipped(code, subject, DIRECT, blind),) if blind else ()


def _in_mode(name: str, script: str, mode: str) -> Scenario:
    return Scenario(name, script, options=(("render_mode", mode),))


def _why_no_window(toolkits: Toolkits) -> str:
    """Return the reason why human mode cannot be played without a window on a person's screen, or
    nothing.
    """
    seeing = ", ".join(toolkits.seeing)
    if seeing:
        return f'render_mode="human" is not played: {seeing} would open a window on your screen'
    return (
        ""
        if toolkits.pygame
        else (
            'render_mode="human" is not played: pygame, which could do so without a window, is not'
            " installed"
        )
    )


#: Why no manager is played.
NOT_UNDER_MANAGERS = "actions that are given are played without a vectorizer only"


def managed(
    subject: str,
    survey: Survey,
    described: Described,
    managers: tuple[str, ...],
    start_methods: tuple[str, ...],
    thorough: bool = False,
    value: bool = False,
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """The scenarios under managers, and the managers that are left out with the reason. Empty
    selections mean all managers, and the start methods that can show something different; with
    `thorough`, all of these. Actions that are `given`, and not drawn, are played under none.
    """
    scenarios: list[Scenario] = []
    skipped: list[Skipped] = []
    for name, known in survey.managers.items():
        if (managers and name not in managers) or (
            not managers and _far_off(name, known, described)
        ):
            continue
        reason = _unusable(known, described) or (
            "" if managers else _unasked(name, known, described)
        )
        reason = reason or (NOT_UNDER_MANAGERS if value else "")
        if reason:
            skipped.append(Skipped("", subject, name, reason))
            continue
        methods = [
            method
            for method in known.start_methods
            if method is None or not start_methods or method in start_methods
        ]
        if not methods:
            there = ", ".join(map(str, known.start_methods))
            reason = f"it has no start method {' or '.join(start_methods)}; it has {there}"
            skipped.append(Skipped("", subject, name, reason))
            continue
        methods = methods if start_methods or thorough else differing(methods)
        scenarios += [vector_life(name, method) for method in methods]
        scenarios += opened_again(name, methods[0], known, described)
        vectorizer = vectorizer_of(name)
        scenarios += [
            scenario
            for scenario, other in zip(
                launched_otherwise(name, methods[0]), vectorizer.other_launches, strict=True
            )
            if vectorizer.in_process or other.in_workers
        ]
        scenarios += [
            without_buffers(name, method)
            for method in methods[-1:]
            if vectorizer.without_buffers and name in managers
        ]
    scenarios += _failing_launches({scenario.place for scenario in scenarios})
    return (*scenarios, *_checks(scenarios, described, managers)), tuple(skipped)


def most_telling(scenarios: Iterable[Scenario]) -> list[Scenario]:
    """In which order to play where there may be no time for all: first each manager once, then its
    other start methods, then other launches.
    """
    known: set[str] = set()
    ranks = []
    for scenario in scenarios:
        first = scenario.manager not in known
        known.add(scenario.manager)
        ranks.append((0 if first else 1 if scenario.traits.plain else 2, scenario))
    return [scenario for _, scenario in sorted(ranks, key=lambda ranked: ranked[0])]


def differing(methods: Sequence[str | None]) -> list[str | None]:
    """The start methods of a manager that show something different: workers that are copies of
    their parent, and workers that import everything again. A fork server's do as spawned ones do.
    """
    return [method for method in methods if method != FORK_SERVER or SPAWN not in methods]


def confirming(finding: Finding, survey: Survey, container: Container[Place]) -> Iterator[Scenario]:
    """The life under the start method that was left out, where a finding that is not the
    environment's alone, nor the manager's, makes it worth playing.
    """
    known = survey.managers.get(finding.manager) or SurveyedManager()
    place = (finding.manager, FORK_SERVER)
    if (
        finding.start_method == SPAWN
        and finding.severity != NOTE
        and finding.blame not in (ENVIRONMENT, MANAGER)
        and FORK_SERVER in known.start_methods
        and place not in container
    ):
        yield vector_life(*place)


def _failing_launches(places: Collection[Place]) -> Iterator[Scenario]:
    """Launches that are known to need an option: last, because what fails costs its probe."""
    for manager in dict.fromkeys(manager for manager, _ in places):
        failing = vectorizer_of(manager).failing_launch
        if failing and (manager, failing.start_method) in places:
            yield Scenario(
                failing.scenario,
                "make drop",
                manager,
                failing.start_method,
                options=failing.options,
            )


def _checks(
    scenarios: Iterable[Scenario], described: Described, managers: tuple[str, ...]
) -> Iterator[Scenario]:
    """The checkers of the frameworks whose managers were named: in the last place of each,
    which is the lightest.
    """
    places = {
        profile_of(scenario.manager): scenario.place
        for scenario in scenarios
        if scenario.manager in managers
    }
    for framework in PROFILES if described.api == DEFAULT.api else ():
        if framework.trains and framework.checker and framework in places:
            yield check_by(framework, places[framework])


def replay_of(managers: Iterable[str]) -> Scenario:
    """The replay of what instances of these managers were asked, with the framework that it
    takes.
    """
    entering = [manager for manager in managers if profile_of(manager).replays_itself]
    if not entering:
        return REPLAY
    enters = profile_of(entering[0]).in_process[0]
    return replace(REPLAY, options=(("enters", enters),))


def vector_life(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """The life under a manager. One that hosts in its own process lives twice, for the same reason
    as the plain life; a worker takes with it what it took only once.
    """
    script = VECTOR_LIFE if start_method else f"{VECTOR_LIFE} {SECOND_VECTOR_LIFE}"
    # It also confirms what is expected of the manager.
    if control and not profile_of(manager).second_close_refused:
        script = script.replace("close", "close close")
    return Scenario("life", script, manager, start_method, control=control)


def launched_otherwise(manager: str, start_method: str | None) -> Iterator[Scenario]:
    """Yield the same life, launched as many scripts launch this manager."""
    for other in vectorizer_of(manager).other_launches:
        yield replace(
            vector_life(manager, start_method),
            name=other.scenario,
            options=other.options,
            variant_of="life",
        )


def without_buffers(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """Return the same life, in which a manager shares no memory with its instances."""
    return replace(
        vector_life(manager, start_method, control),
        name=WITHOUT_BUFFERS,
        options=vectorizer_of(manager).without_buffers,
    )


def without_shadow(manager: str, start_method: str | None) -> Scenario:
    """A life in which a manager builds no instance in the parent."""
    options = vectorizer_of(manager).without_shadow
    return Scenario(WITHOUT_SHADOW, CURED, manager, start_method, options=options)


def _far_off(name: str, known: SurveyedManager, described: Described) -> bool:
    """A framework that is not the subject's own, nor played by itself, and is not installed or
    takes environments of a rare API only: no word is lost on it.
    """
    unfit = not known.available or not {DEFAULT.api, described.api} & set(known.apis)
    return unfit and _waits(name, known, described)


def _waits(name: str, known: SurveyedManager, described: Described) -> bool:
    """Return True for a manager that takes long to import, until it is named or the subject has
    imported it.
    """
    owner = profile_of(name)
    return known.on_request and described.api not in (owner.word, owner.api)


def _unasked(name: str, known: SurveyedManager, described: Described) -> str:
    waits = _waits(name, known, described)
    return (
        "its framework takes long to import, so it is played when it is asked for: --managers"
        f" {name}"
        if waits
        else ""
    )


def _unusable(known: SurveyedManager, described: Described) -> str:
    if not known.available:
        return known.reason
    api = described.api
    if api not in known.apis:
        own = profile_of_api(api)
        what = own.environment if own else "none" if api == DUCK else "not known well enough"
        needed = (profile_of_api(known.apis[0]) if len(known.apis) == 1 else None) or DEFAULT
        return f"it needs {needed.environment}; this is {what}, not played under it"
    return ""
