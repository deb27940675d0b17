"""Which scenarios are played: subject and request in, scenarios out. A new scenario is one line here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from envdoctor.model.faults import HARD_TO_SEND, IN_PROCESS, KILL, KINDS, STEP, Fault
from envdoctor.model.finding import Skipped
from envdoctor.model.scenario import (
    BY_MAKE_VEC_ENV,
    DIRECT,
    HUMAN,
    RENDER_MODES,
    SPOILING,
    WITHOUT_BUFFERS,
    WITHOUT_SHADOW,
    WITHOUT_SHARED_MEMORY,
    Scenario,
)  # fmt: skip
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.opening_again import opened_again
from envdoctor.rules.faults import sees_itself

Place = tuple[str, str | None]

#: What is judged where growth is all that is looked for: it, what makes it grow, and what keeps it from being looked for.
GROWTH_CODES = ("LEK", "CLS012", "CLS013", "REG001", "REG002", "MAK001", "HNG", "PRC003", "DOC")

#: What is judged besides where replay storages are filled.
STORAGE_CODES = ("BUF",)

SURVEY = Scenario("survey", "survey")

LIFE = "make reset step:20 render close drop"  # rendered only where it was made with a render mode
VECTOR_LIFE = "make reset step:20 reset mirror:5 close drop"
SECOND_VECTOR_LIFE = "make reset step:20 reset close drop"

#: Frameworks that train and have a checker, by the first word of their managers.
CHECKING = ("sb3", "torchrl")

#: Whose batches refuse a second close(), by contract, and whose instances are asked in their own language.
TORCHRL = "torchrl-"

#: What DI-engine's default makes of another start method: last, because what fails costs its probe.
SPAWNED_SHARING = Scenario("spawned-sharing", "make drop", "ding-subproc", "spawn", options=(("shared_memory", True),))

FAULT_LIFE = "make reset step close drop"
STILL_SECONDS = 3.0  # in which nothing runs, after a fault, until the call counts as one that hangs
STILL_IN_TORCHRL = 16.0  # the same, of a framework that waits 10 s for a worker, and then goes on

#: The first episodes of managers' instances once more, without a manager: played when all managers were.
REPLAY = Scenario("replay", "replay")

#: The same, of those that sent their observations through the pipe.
REPLAY_OF_PIPED = Scenario("replay-of-piped", "replay", options=(("asked_in", WITHOUT_SHARED_MEMORY),))

#: The plain life in another process, that hashes otherwise and then alike.
ELSEWHERE = Scenario("elsewhere", "make reset step:20 close drop", hash_seed=1)
ELSEWHERE_ALIKE = Scenario("elsewhere-alike", ELSEWHERE.script)

#: Start methods whose workers are programs of their own, which hash otherwise than the probe.
EXECUTED = ("forkserver", "spawn")

#: Long enough to see that workers came up and play.
CURED = "make reset step:5 close drop"

#: The plain life, twice: what is taken only once is there before the second.
PLAIN = Scenario("life", f"{LIFE} {LIFE}")

#: One is watched while everything is done to the other. As many steps as the plain life has, with which they are compared.
TWO_AT_ONCE = (
    "make make reset@0 reset@1 step:3@0 step:3@1 reset@0 step:3@1 reseed@0 step:3@1 step:3@0 step:3@1 close@0 step:3@1 drop@0 step:3@1 close@1 drop"
)

#: The rules that ask for what few people do with an environment.
ASIDE_CODES = ("MAK005", "CLS019")

#: An instance of which a deep copy is used.
COPIED = Scenario("copied", "make reset step:3 copy step:6 close drop")

#: What is asked of an instance without a manager, after its plain life.
DIRECT_SCRIPTS = {
    "close-before-reset": "make close drop",
    "close-twice": "make reset carry close close drop",
    "reopen": "make reset step:5 close reset step:5 close drop",
    "two-at-once": TWO_AT_ONCE,
    "reuse": "make watch reset step:3 reset step:3 reseed step:3 reset close drop",
    "pickle": "pickle",
    "abandoned": "make reset step:3 drop",  # last: what it keeps for itself would spoil the others
}

#: The end of a script that never closes. Its probe exits, so it is the last one.
EXIT = Scenario("exit", "make reset step:3 leave")

#: A life in a render mode that nobody asked for, twice, and two of them at once.
RENDERED_LIFE = "make reset step:3 render close drop"
TWO_WINDOWS = "windowless make make reset@0 reset@1 step@0 step@1 close@0 step@1 close@1 drop"

#: Scenarios that have to see the subject's first import or instance, and so get a process of their own.
FRESH = ("effects", WITHOUT_SHADOW)

#: Scenarios that begin with a launch and end with its close: where they fork, no thread of an earlier one may be there.
LAUNCHES = ("life", BY_MAKE_VEC_ENV, "relaunch", "leak-workers")

#: What only a finding makes worth playing, beside controls.
ON_DEMAND = (
    "takings", "effects", "uncollected", "undisturbed", "lost-error", "cured", WITHOUT_SHARED_MEMORY, REPLAY_OF_PIPED.name, "without-daemon",
    WITHOUT_SHADOW,
)  # fmt: skip


def wants_fresh(scenario: Scenario, traces: Sequence[Trace]) -> bool:
    """Whether a scenario needs a probe in which nothing was played. A fork takes no threads with it: what is begun once a process, such as
    a pool of the module, is dead in workers that are forked after the environment was played alone. A script that only launches has no such
    workers.
    """
    if scenario.name in FRESH:
        return True
    if scenario.start_method != "fork" or scenario.control or scenario.name not in LAUNCHES:
        return False
    readings = (event["sensors"].get("threads") for trace in reversed(traces) for event in reversed(list(trace.of("reading"))))
    threads = next((reading for reading in readings if isinstance(reading, Mapping)), {})
    return any(text.startswith("python thread") and "MainThread" not in text for text in threads.values())


def direct(described: Mapping[str, Any]) -> tuple[Scenario, ...]:
    """The scenarios without a manager that follow the plain life."""
    checks = {"gymnasium": (Scenario("check", "check"),), "torchrl": (check_by("torchrl"),)}
    return checks.get(str(described.get("dialect")), ()) + tuple(Scenario(name, script) for name, script in DIRECT_SCRIPTS.items())


def check_by(framework: str, place: Place = (DIRECT, None)) -> Scenario:
    """The checker of a framework that trains."""
    return Scenario(f"check-{framework}", f"check:{framework}", *place)


def aside(subject: str, described: Mapping[str, Any], traces: Iterable[Trace]) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """What few people do with an environment, and why some of it is left out: nothing at all where it crashed or hung so far. To be
    played last: it loads what draws.
    """
    if any(trace.outcome.kind != FINISHED for trace in traces if trace.scenario.manager == DIRECT):
        return (), ()
    drawn, unseen = rendered(subject, described)
    return (COPIED, *drawn), unseen


def rendered(subject: str, described: Mapping[str, Any]) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """Lives in the render modes that the environment offers, and why one is left out. Nothing where a mode was asked for: there,
    all the others are played in it.
    """
    if described.get("render_mode") is not None:
        return (), ()
    modes = [mode for mode in RENDER_MODES if mode in (described.get("render_modes") or ())]
    blind = _why_no_window(described.get("toolkits") or {}) if HUMAN in modes else ""
    scenarios = [_in_mode("rendered", f"windowless {RENDERED_LIFE} {RENDERED_LIFE}", mode) for mode in modes if mode != HUMAN or not blind]
    scenarios += [_in_mode(SPOILING, TWO_WINDOWS, HUMAN)] if HUMAN in modes and not blind else []
    return tuple(scenarios), (Skipped("MAK005", subject, DIRECT, blind),) if blind else ()


def _in_mode(name: str, script: str, mode: str) -> Scenario:
    return Scenario(name, script, options=(("render_mode", mode),))


def _why_no_window(toolkits: Mapping[str, Any]) -> str:
    """Why human mode cannot be played without a window on somebody's screen, or nothing."""
    seeing = ", ".join(toolkits.get("seeing") or ())
    if seeing:
        return f'render_mode="human" is not played: {seeing} would open a window on your screen'
    return "" if toolkits.get("pygame") else 'render_mode="human" is not played: pygame, which could do so without a window, is not installed'


def managed(
    subject: str, survey: Mapping[str, Any], described: Mapping[str, Any], managers: tuple[str, ...], start_methods: tuple[str, ...]
) -> tuple[tuple[Scenario, ...], tuple[Skipped, ...]]:
    """The scenarios under managers, and the managers that are left out with the reason. Empty selections mean all."""
    scenarios: list[Scenario] = []
    skipped: list[Skipped] = []
    for name, known in (survey.get("managers") or {}).items():
        if (managers and name not in managers) or (not managers and _far_off(name, known, described)):
            continue
        reason = _unusable(known, described) or ("" if managers else _unasked(name, known, described))
        if reason:
            skipped.append(Skipped("", subject, name, reason))
            continue
        methods = [method for method in known["start_methods"] if method is None or not start_methods or method in start_methods]
        scenarios += [vector_life(name, method) for method in methods]
        scenarios += opened_again(name, methods[0], known, described)
        if name == "sb3-dummy":
            scenarios.append(by_make_vec_env(name, None))
        scenarios += [without_buffers(name, method) for method in methods[-1:] if name.startswith(TORCHRL) and name in managers]
    if ("ding-subproc", "spawn") in {scenario.place for scenario in scenarios}:
        scenarios.append(SPAWNED_SHARING)
    return (*scenarios, *_checks(scenarios, described, managers)), tuple(skipped)


def _checks(scenarios: Iterable[Scenario], described: Mapping[str, Any], managers: tuple[str, ...]) -> Iterator[Scenario]:
    """The checkers of the frameworks whose managers were named: in the last place of each, which is the lightest."""
    places = {scenario.manager.split("-", maxsplit=1)[0]: scenario.place for scenario in scenarios if scenario.manager in managers}
    for framework in CHECKING if described.get("dialect") == "gymnasium" else ():
        if framework in places:
            yield check_by(framework, places[framework])


def comparisons(described: Mapping[str, Any], traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """What is played for the sake of comparison, once all else was. A second process only where none was started by a manager, and
    where it can tell anything.
    """
    lives = [trace for trace in traces if trace.scenario.name == PLAIN.name and not trace.scenario.control]
    alone, managed = [trace for trace in lives if trace.scenario.manager == DIRECT], [trace for trace in lives if trace.scenario.manager != DIRECT]
    replay = (replay_of(trace.scenario.manager for trace in managed),) if managed else ()
    executed = any(trace.scenario.start_method in EXECUTED and trace.verbs("step", "ended") for trace in managed)
    alike = alone and (alone[-1].fact("same-seed") or {"difference": True})["difference"] is None
    return replay if executed or not alike or not described.get("seedable") else (*replay, ELSEWHERE)


def replay_of(managers: Iterable[str]) -> Scenario:
    """The replay of what instances of these managers were asked, with the framework that it takes."""
    entering = any(manager.startswith(TORCHRL) for manager in managers)
    return replace(REPLAY, options=(("enters", f"{TORCHRL}serial"),)) if entering else REPLAY


def faults(traces: Iterable[Trace]) -> tuple[Scenario, ...]:
    """A null environment with each fault in one worker, in every place where the subject was played under a manager. Exceptions that
    are hard to send follow where an ordinary one was seen to reach the parent.
    """
    traces = tuple(traces)
    places = dict.fromkeys(trace.scenario.place for trace in traces if trace.scenario.name == "life" and trace.scenario.manager != DIRECT)
    wanted = [_with_fault(*place, fault) for place in places for fault in _faults_in(place[1])]
    wanted += [_with_fault(*place, Fault(kind, 1)) for place in _relayed(traces) for kind in HARD_TO_SEND]
    played = {(trace.scenario.name, trace.scenario.place) for trace in traces}
    return tuple(scenario for scenario in wanted if (scenario.name, scenario.place) not in played)


def _relayed(traces: Iterable[Trace]) -> Iterator[Place]:
    """Where the error of a worker's step() reached the parent."""
    for trace in traces:
        if trace.scenario.fault == Fault(STEP, 1) and trace.scenario.start_method and any(sees_itself(trace)):
            yield trace.scenario.place


def _faults_in(start_method: str | None) -> Iterator[Fault]:
    """The second worker is the one that fails: a manager may depend on the first for more. After a fork it also matters which one
    dies, because a later worker inherits what was open for the earlier ones.
    """
    for kind in KINDS if start_method else IN_PROCESS:
        if kind not in HARD_TO_SEND:
            yield Fault(kind, 1)
    if start_method == "fork":
        yield Fault(KILL, 0)


def _with_fault(manager: str, start_method: str | None, fault: Fault) -> Scenario:
    still = STILL_IN_TORCHRL if manager.startswith(TORCHRL) else STILL_SECONDS
    return Scenario(fault.name, FAULT_LIFE, manager, start_method, control=True, stillness=still)


def vector_life(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """The life under a manager. One that hosts in its own process lives twice, for the same reason as the plain life; a worker
    takes with it what it took only once.
    """
    script = VECTOR_LIFE if start_method else f"{VECTOR_LIFE} {SECOND_VECTOR_LIFE}"
    if control and not manager.startswith(TORCHRL):  # it also confirms what is expected of the manager
        script = script.replace("close", "close close")
    return Scenario("life", script, manager, start_method, control=control)


def by_make_vec_env(manager: str, start_method: str | None) -> Scenario:
    """The same life, built in the way that most scripts build Stable-Baselines3's vectorizers."""
    life = vector_life(manager, start_method)
    return replace(life, name=BY_MAKE_VEC_ENV, options=(("make_vec_env", True),))


def without_buffers(manager: str, start_method: str | None, control: bool = False) -> Scenario:
    """The same life, in which a batch of TorchRL's shares no memory with its instances."""
    return replace(vector_life(manager, start_method, control), name=WITHOUT_BUFFERS, options=(("use_buffers", False),))


def without_shadow(manager: str, start_method: str | None) -> Scenario:
    """A life in which TorchRL builds no instance in the parent."""
    return Scenario(WITHOUT_SHADOW, CURED, manager, start_method, options=(("metadata_from_workers", True),))


def _far_off(name: str, known: Mapping[str, Any], described: Mapping[str, Any]) -> bool:
    """A framework that is neither installed nor the subject's own, nor played by itself if it were: no word is lost on it."""
    return not known["available"] and _waits(name, known, described)


def _waits(name: str, known: Mapping[str, Any], described: Mapping[str, Any]) -> bool:
    """What takes long to import waits until it is named, but for what the subject has imported already."""
    return bool(known.get("on_request")) and not name.startswith(f"{described.get('dialect')}-")


def _unasked(name: str, known: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    waits = _waits(name, known, described)
    return f"its framework takes long to import, so it is played when it is asked for: --managers {name}" if waits else ""


def _unusable(known: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    if not known["available"]:
        return str(known["reason"])
    dialect = described.get("dialect")
    if dialect not in known["dialects"]:
        what = {"gym": "an environment of the older gym", "torchrl": "a torchrl.envs.EnvBase", "ding": "one of DI-engine", "duck": "none"}
        return f"it needs a gymnasium.Env; this is {what.get(str(dialect), 'not known well enough')}, not played under it"
    return ""
