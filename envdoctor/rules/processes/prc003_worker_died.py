"""The process that hosts the environment died.

What it does
    Watches from outside how every process ends. A process that ends while it plays a call of the
    environment is reported with its signal or exit code, the stacks that were written at its death,
    and its last words on stderr.

Why it matters
    In the training script the same death reads `EOFError`, `BrokenPipeError` or
    `ConnectionResetError`, raised by the vectorizer at some later call, without the reason.

How to fix it
    For a signal, look at the last line in the stacks: the call into native code that is written
    there crashed. For an exit code, look at the line that calls os._exit(), and raise instead:

        if not licence.valid():
            raise RuntimeError("no valid licence")  # not: os._exit(3)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import EndByMethod
from envdoctor.model.errors import ErrorValue, Frame, kind_of, wire_of
from envdoctor.model.events import Event
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location
from envdoctor.model.fingerprint import normal
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import EXITED, OUT_OF_MEMORY, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import without_buffers
from envdoctor.rules.evidence.circumstances import (
    died_after_close,
    died_beside_another,
    has_two,
    is_in_process,
    makes_after_close,
)
from envdoctor.rules.evidence.deaths import (
    COMPOUND,
    DEADLY,
    call_of_host,
    dead_workers,
    how_it_died,
    was_cut_back,
)
from envdoctor.rules.evidence.episodes import last_moment
from envdoctor.rules.evidence.forks import start_otherwise, well_started_by
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.payloads import payload_in_the_way
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.evidence.used_addresses import is_used_by_another
from envdoctor.rules.evidence.waiting import name_of_worker, wait_for_gone
from envdoctor.rules.wording.leftovers import place_of

CLOSE = "close()"
GAVE_UP = "exit code 1"  # of Python itself: where a payload could not be sent, VEC005 tells which


@dataclass(frozen=True)
class WorkerEnd:
    """The end of a process: in words, how (`died of SIGSEGV`), in which call, and whether its
    manager waits for it.
    """

    message: str
    how: str
    call: str
    waits: bool = False


@rule(
    "PRC003",
    "worker-died",
    looks_at={"life": LIFECYCLE},
    follow_ups=("failing-again", "without-buffers"),
    also_reads=(EVERYTHING,),
    gives_way=(Cause.ONE_PER_PROCESS, Cause.INSTANCES_INTERFERE),
    in_leak_check=True,
)
def worker_died(view: View) -> Iterator[Finding]:
    reported: set[str] = set()  # one finding a call: the other scenarios only repeat it
    for run in sorted(view.traces, key=lambda trace: verb_name(trace.outcome.verb) in COMPOUND):
        if reported and verb_name(run.outcome.verb) in COMPOUND:
            return
        wait = wait_for_gone(run, view)
        if wait:
            reported.add(wait.call)
            yield report(view, run, WorkerEnd(str(wait), wait.end, wait.call, True), wait.error)
            continue
        for subject, how, call in (*own_death(run), *worker_deaths(run)):
            if call not in reported and not (how.endswith(GAVE_UP) and payload_in_the_way(view)):
                reported.add(call)
                message = f"{subject} {how} in {call}{ceiling(run)}"
                yield report(view, run, WorkerEnd(message, how, call))


def ceiling(run: Trace) -> str:
    """`: it held 4.2 GiB, and the ceiling is 4.0 GiB (--memory-limit)`."""
    return (
        f": {run.outcome.reason}"
        if run.outcome.kind == OUT_OF_MEMORY and run.outcome.reason
        else ""
    )


def own_death(run: Trace) -> Iterator[tuple[str, str, str]]:
    """The death of the process that played the scenario. At import it is another rule's."""
    outcome, surveys = run.outcome, run.scenario.traits.surveys
    if outcome.kind in DEADLY and not surveys and not was_cut_back(run):
        call = call_of_host(run) + last_moment(run)
        yield "the process that hosts the environment", how_it_died(outcome), call


def worker_deaths(run: Trace) -> Iterator[tuple[str, str, str]]:
    """The deaths of a manager's workers, those alike counted."""
    deaths = list(dead_workers(run))
    for how, call in dict.fromkeys((death.how, death.call) for death in deaths):
        alike = sum((death.how, death.call) == (how, call) for death in deaths)
        pid = next(death.pid for death in deaths if (death.how, death.call) == (how, call))
        yield (name_of_worker(run, pid) if alike == 1 else f"{alike} workers"), how, call


def report(view: View, run: Trace, end: WorkerEnd, error: ErrorValue | None = None) -> Finding:
    """The finding, with everything that the dead left, and the error that ended it."""
    outcome = run.outcome
    place = where_it_was(outcome.stacks, view)
    at = Frame(place.file, place.line) if place and outcome.kind == EXITED else None
    return worker_died.finding(
        end.message,
        start_otherwise(well_started_by(view, run.scenario.name))
        + remedy(end, outcome, view, place),
        aim=EndByMethod(at) if end.call == CLOSE else None,
        commands=(
            view.vectorizer.lines_instead_of_fork
            if view.start_method == "fork" and end.waits
            else without_buffers.lines(view)
            if GAVE_UP in end.how
            else ()
        ),
        location=place_of(error) or place,
        key=(kind_of(error) if error else normal(end.how), end.call),
        explained_alone=_explanations(view, run),
        evidence={
            "scenario": run.scenario.name,
            "script": run.scenario.script,
            "workers": [
                {"pid": death.pid, "how": death.how, "call": death.call}
                for death in dead_workers(run)
            ],
            "error": wire_of(error),
            "stacks": outcome.stacks,
            "stderr": outcome.stderr,
        },
    )


def _explanations(view: View, run: Trace) -> tuple[Cause, ...]:
    """The rules that say in which circumstances it dies: once another instance was closed or used
    in the same process, or has its address.
    """
    if any(is_used_by_another(view, each.error) for each in run.records(InstanceRecord)):
        return (Cause.ONE_PER_PROCESS,)
    closed = died_after_close(view)
    place = where_it_was(closed.outcome.stacks, view) if closed else None
    same = place is not None and where_it_was(run.outcome.stacks, view) == place
    if closed and (same or _dies_in_make(run) or makes_after_close(run)):
        return (Cause.ONE_PER_PROCESS,)
    beside = died_beside_another(view)
    same_call = beside and verb_name(run.outcome.verb) == verb_name(beside.outcome.verb)
    if same_call and (has_two(view, run) or is_in_process(run)):
        return (Cause.INSTANCES_INTERFERE,)
    return ()


def _dies_in_make(run: Trace) -> bool:
    """Return whether the process died in the constructor without a manager: where MAK004 says why,
    no process died in its first one.
    """
    return run.scenario.manager == DIRECT and verb_name(run.outcome.verb) == "make"


def remedy(end: WorkerEnd, outcome: Outcome, view: View, place: Location | None = None) -> str:
    """Return the remedy for this way of dying, and for the line that calls os._exit(), where the
    stacks have one.
    """
    if outcome.kind == OUT_OF_MEMORY or "SIGKILL" in end.how:
        return (
            "find what takes the memory, or allow more: `--memory-limit` is the doctor's ceiling,"
            " and the kernel has its own."
        )
    if ended_by_error(end, outcome, view):
        return (
            f"its last words are `{without_buffers.last_words(outcome.stderr)}`: so ends a worker"
            f" of {view.vectorizer.class_name} after any error, also one of"
            f" {view.framework.title}. Compare what"
            f" {view.class_name} returns with what it specifies.{without_buffers.advice(view)}"
        )
    if outcome.kind == EXITED and place is not None:
        line = f"{short(place.file)}:{place.line} in {place.function}"
        return (
            f"{line} calls os._exit(), and what comes after {end.call} is not run: let close() give"
            " back what the instance has, and leave the end of the process to the script."
            if end.call == CLOSE
            else f"{line} calls os._exit(): raise an exception instead."
        )
    if "exit code" in end.how:
        return (
            f"find what calls os._exit() or sys.exit() under {view.class_name}, and raise an"
            " exception instead."
        )
    if end.how.startswith("raised "):
        return f"repair what {view.class_name} raises there; without a manager it shows its line."
    return (
        "see in the stacks which native call crashed; the last Python line in them is the one that"
        " made it."
    )


def ended_by_error(end: WorkerEnd, outcome: Outcome, view: View) -> bool:
    """Return True if an error ended the worker as it ends all of this manager's, and not an
    exit.
    """
    return (
        view.vectorizer.ends_workers_by_errors
        and GAVE_UP in end.how
        and bool(without_buffers.last_words(outcome.stderr))
    )


def _worker(*events: Event, code: int) -> View:
    exit_event = {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 7, "code": code}
    step = verb("step:20", "raised", error=raised("builtins.EOFError", ""))
    return vector_view(
        trace(
            *events, verb("make"), step, exit_event, manager="gymnasium-async", start_method="spawn"
        )
    )


_MADE = instance("made", pid=7, parent=False)
_HOST = "the process that hosts the environment"
_STACKS = (
    'Current thread 0x01 (most recent call first):\n  File "/arm.py", line 27 in close\n'
    '  File "/lib/envdoctor/probe/environment_api.py", line 9 in close\n'
)
_WAITS = "AsyncVectorEnv started by spawn waits for ever for it"

EXAMPLES = (
    Example(
        "what close() gave back is used",
        direct_view(
            trace(
                verb("reset"),
                verb("close"),
                verb("reset", "began"),
                name="reopen",
                outcome=SIGNALLED,
                verb="reset",
                signal="SIGSEGV",
            )
        ),
        "the process that hosts the environment died of SIGSEGV in reset() after close()",
    ),
    Example(
        "a null pointer in the simulator",
        direct_view(trace(verb("make"), outcome=SIGNALLED, verb="step:20", signal="SIGSEGV")),
        f"{_HOST} died of SIGSEGV in step()",
    ),
    Example(
        "it exits without a licence, in two scenarios",
        direct_view(
            *(
                trace(name=name, outcome=EXITED, verb="reset", exit_code=3)
                for name in ("life", "reopen")
            )
        ),
        f"{_HOST} ended with exit code 3 in reset()",
    ),
    Example(
        "close() ends the process, by a line that its stacks have",
        direct_view(trace(outcome=EXITED, verb="close", exit_code=0, stacks=_STACKS)),
        f"{_HOST} ended with exit code 0 in close()",
    ),
    Example(
        "a checker repeats what a life showed",
        direct_view(
            trace(name="check", outcome=EXITED, verb="check", exit_code=3),
            trace(outcome=EXITED, verb="close", exit_code=3),
        ),
        f"{_HOST} ended with exit code 3 in close()",
    ),
    Example(
        "only repeated lives show it",
        direct_view(
            trace(name="leak-warm", outcome=SIGNALLED, verb="warm:3x1x20", signal="SIGSEGV")
        ),
        f"{_HOST} died of SIGSEGV in repeated lives",
    ),
    Example(
        "the manager closes an instance that it built for the spaces",
        vector_view(
            trace(
                instance("made"),
                instance("closing"),
                manager="gymnasium-async",
                outcome=EXITED,
                verb="make",
                exit_code=0,
            )
        ),
        f"{_HOST} ended with exit code 0 in close()",
    ),
    Example(
        "over the ceiling",
        direct_view(
            trace(
                outcome=OUT_OF_MEMORY,
                verb="step:20",
                reason="it held 5 GiB, and the ceiling is 4 GiB (--memory-limit)",
            )
        ),
        f"{_HOST} ran out of memory in step(): it held 5 GiB, and the ceiling is 4 GiB"
        " (--memory-limit)",
    ),
    Example("a worker crashes", _worker(_MADE, code=-11), "a worker died of SIGSEGV in step()"),
    Example(
        "a worker crashes in close()",
        _worker(_MADE, instance("closing", pid=7, parent=False), code=-6),
        "a worker died of SIGABRT in close()",
    ),
    Example(
        "its close() raised, which is close-error-hidden",
        _worker(_MADE, instance("close-raised", pid=7, parent=False, error=raised()), code=1),
    ),
    Example(
        "a worker ends as if all were well",
        _worker(_MADE, code=0),
        "a worker ended with exit code 0 in step()",
    ),
    Example("the manager terminates its workers", _worker(_MADE, code=-15)),
    Example(
        "it dies at import, which is import-fails",
        direct_view(trace(name="survey", outcome=SIGNALLED, verb="survey", signal="SIGSEGV")),
    ),
    Example(
        "a fork's siblings keep the pipe of the dead worker open",
        vector_view(
            trace(
                *({"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 8, "code": -11},),
                {"event": "workers", "t": 0.0, "pid": 1, "pids": [7, 8]},
                instance("made", pid=8, parent=False),
                verb("step:20", "began"),
                manager="sb3-subproc",
                start_method="fork",
                outcome=TIMED_OUT,
                verb="step:20",
            ),
            manager="sb3-subproc",
            start_method="fork",
        ),
        "worker 1 died of SIGSEGV in step(); SubprocVecEnv started by fork waits for ever"
        " for it (a sibling holds the other end of its pipe)",
    ),
    Example(
        "an exception that does not pickle",
        vector_view(
            trace(
                instance("step-raised", pid=8, parent=False, error=raised("arm.Lost", "the arm")),
                verb("step:20", "began"),
                manager="gymnasium-async",
                start_method="spawn",
                outcome=TIMED_OUT,
                verb="step:20",
                stacks=(
                    'Current thread 0x01 (most recent call first):\n  File "/lib/python3.11/x.py",'
                    " line 8 in _raise_if_errors\n"
                ),
            )
        ),
        f"a worker raised Lost: the arm in step(); {_WAITS} (its exception does not pickle,"
        " so it never arrives)",
    ),
    Example("all live", direct_view(trace(verb("make"), verb("close")))),
)
