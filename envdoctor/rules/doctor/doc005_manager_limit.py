"""A manager does not cope with a failure in a worker.

What it does
    With `--faults`, makes a null environment fail in one worker of each manager, in each way that
    environments do: raise in the constructor, in reset(), step() and close(); an exception that
    does not pickle or takes two arguments; a process that is killed; a slow step. Reports what the
    manager, as it is installed, then does badly: waits for ever, hides the error, fails in close(),
    leaves workers running.

Why it matters
    None of this is the environment's fault, and it decides what a failure of the environment will
    look like on the day it comes: a traceback with a line, an `EOFError` without one, or a job that
    stands still until its time is up.

How to fix it
    Know it, and choose the start method and the way to close accordingly:

        envs = SubprocVecEnv(factories, start_method="forkserver")
        try:
            train(envs)
        finally:
            for process in envs.processes:  # close() may fail or wait once a worker is gone
                process.terminate()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.events import Event
from envdoctor.model.faults import (
    CLOSE,
    CONSTRUCTOR,
    KILL,
    KINDS,
    RESET,
    SLOW_STEP,
    STEP,
    TWO_ARGUMENTS,
    UNPICKLABLE,
    Fault,
)
from envdoctor.model.finding import MANAGER, NOTE, Finding
from envdoctor.model.report import HANG, NOTHING, OTHER, FaultReport
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import instance, known, raised, reading, trace, verb
from envdoctor.rules.engine.registry import WHERE_FAULTY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.faults import class_of, summarise

TERMINATE = ("for process in envs.processes:\n    process.terminate()",)
RAISES = (CONSTRUCTOR, RESET, STEP, TWO_ARGUMENTS, UNPICKLABLE)


@rule("DOC005", "manager-limit", severity=NOTE, where=WHERE_FAULTY, needs=(), blames_itself=True)
def manager_limit(view: View) -> Iterator[Finding]:
    reports = summarise(view.faults, view.survey.frameworks)
    yield from _waits(view, reports)
    yield from _hides(view, reports)
    yield from _fails_to_close(view, reports)


def _waits(view: View, reports: Iterable[FaultReport]) -> Iterator[Finding]:
    hung = [report for report in reports if report.sees == HANG]
    if hung:
        cure = (
            ' Start its workers by "forkserver" or "spawn".'
            if view.start_method == "fork" and any(report.fault == KILL for report in hung)
            else ""
        )
        yield _limit(
            view,
            "waits",
            f"waits for ever when {_which(hung)}",
            hung,
            f"bound what the training script waits for.{cure}",
        )


def _hides(view: View, reports: Iterable[FaultReport]) -> Iterator[Finding]:
    lost = [report for report in reports if report.fault in RAISES and report.sees == OTHER]
    if lost:
        remedy = (
            "look for the real error in the worker's stderr, or run one environment without a"
            " manager."
        )
        yield _limit(
            view,
            "error",
            f"shows another error than the environment's when {_which(lost)}",
            lost,
            remedy,
        )
    silent = [report for report in reports if report.fault == CLOSE and report.sees == NOTHING]
    if silent:
        yield _limit(
            view,
            "close-error",
            "does not report when close() raises in a worker",
            silent,
            "look at the worker's stderr after closing.",
        )


def _fails_to_close(view: View, reports: Iterable[FaultReport]) -> Iterator[Finding]:
    stuck = [report for report in reports if report.close == HANG]
    if stuck:
        yield _limit(
            view,
            "close-waits",
            f"waits for ever in close() after {_which(stuck)}",
            stuck,
            "end its workers by hand:",
            TERMINATE,
        )
    left = [report for report in reports if report.workers]
    if left:
        yield _limit(
            view,
            "workers",
            f"leaves workers running after close() when {_which(left)}",
            left,
            "end them by hand:",
            TERMINATE,
        )


def _which(reports: Iterable[FaultReport]) -> str:
    """`reset() raises, SIGKILL in step() (worker 1)`."""
    reports = tuple(reports)
    workers = {report.worker for report in reports if report.fault == KILL}
    names = dict.fromkeys(report.fault for report in reports)
    only = f" (worker {next(iter(workers))})" if len(workers) == 1 else ""
    return ", ".join(KINDS[name] + (only if name == KILL else "") for name in names)


def _limit(
    view: View,
    limit: str,
    does: str,
    reports: list[FaultReport],
    remedy: str,
    commands: tuple[str, ...] = (),
) -> Finding:
    stacks = {trace.scenario.fault: trace.outcome.stacks for trace in view.faults}
    return manager_limit.finding(
        f"{class_of(view.manager)} of {reports[0].framework} {does}",
        remedy,
        commands=commands,
        blame=MANAGER,
        evidence={
            "limit": limit,
            "seen": [
                {
                    "fault": report.fault,
                    "worker": report.worker,
                    "call": report.call,
                    "error": report.error,
                    "close": report.close,
                }
                for report in reports
            ],
            "stacks": next(
                (
                    text
                    for report in reports
                    if (text := stacks.get(Fault(report.fault, report.worker)))
                ),
                "",
            ),
        },
    )


_ECHO = raised("builtins.EOFError", "")


def _example(*events: Event, fault: str = STEP, worker: int = 1, **outcome: str) -> Trace:
    lived = (
        reading("before", {"processes": {}}),
        *events,
        reading("held", {"processes": {}}),
        reading("collected", {"processes": {}}),
    )
    return trace(
        *lived,
        name=Fault(fault, worker).name,
        manager="sb3-subproc",
        start_method="fork",
        control=True,
        **outcome,
    )


def _view(*faults: Trace) -> View:
    return View(
        "Sick-v0",
        "sb3-subproc",
        "fork",
        (),
        known({"frameworks": {"stable_baselines3": "2.9.2"}}),
        faults=faults,
    )


_OF = "SubprocVecEnv of stable-baselines3 2.9.2"
_ITSELF = raised("envdoctor.probe.tracing.faults.InjectedError", "on purpose")

EXAMPLES = (
    Example(
        "a sibling keeps the pipe of the dead worker open",
        _view(
            _example(fault=KILL, outcome=TIMED_OUT, verb="step"),
            _example(verb("step", "raised", error=_ECHO), fault=KILL, worker=0),
        ),
        f"{_OF} waits for ever when SIGKILL in step() (worker 1)",
    ),
    Example(
        "an echo instead of the error",
        _view(_example(verb("step", "raised", error=_ECHO))),
        f"{_OF} shows another error than the environment's when step() raises",
    ),
    Example(
        "close() fails in silence",
        _view(_example(instance("close-raised", pid=7, parent=False), verb("close"), fault=CLOSE)),
        f"{_OF} does not report when close() raises in a worker",
    ),
    Example(
        "close() waits for an answer that was read already",
        _view(_example(verb("step", "raised", error=_ITSELF), outcome=TIMED_OUT, verb="close")),
        f"{_OF} waits for ever in close() after step() raises",
    ),
    Example(
        "a worker goes on",
        _view(
            _example(
                verb("step", "raised", error=_ITSELF),
                reading("held", {"processes": {"7": "python"}}),
            )
        ),
    ),
    Example(
        "it tells the error, and ends",
        _view(
            _example(verb("step", "raised", error=_ITSELF), verb("close")),
            _example(fault=SLOW_STEP),
        ),
    ),
)
