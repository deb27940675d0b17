"""The manager cannot start its workers.

What it does
    Launches the environment through each manager with each start method. When the launch fails
    although the environment can be built without a manager, it looks for the cause where it is: in
    the worker's own error, then in what the worker wrote on stderr. If Gymnasium's shared memory
    may be the obstacle, it tries once more without.

Why it matters
    The parent mostly sees an EOFError or a ConnectionResetError, and the worker that could tell the
    reason is gone.

How to fix it
    For a space that shared memory cannot hold, have observations sent through the pipe:

        envs = gymnasium.vector.AsyncVectorEnv(factories, shared_memory=False)

    Otherwise repair what the worker says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.frameworks import DEFAULT
from envdoctor.frameworks.profile import Options, keywords
from envdoctor.model.errors import ErrorValue, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import ENVIRONMENT, INTERACTION, Finding, Location
from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import DIRECT, WITHOUT_SHARED_MEMORY
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.doctor.doc004_known_defect import known_defect
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.examples import known as survey_of
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import without_buffers
from envdoctor.rules.evidence.close_calls import unfinished
from envdoctor.rules.evidence.deaths import dead_workers
from envdoctor.rules.evidence.hangs import hung_in
from envdoctor.rules.evidence.known_defects import shown_in
from envdoctor.rules.evidence.payloads import payload_in_the_way
from envdoctor.rules.evidence.uncommon_spaces import in_the_way, refusal, suspected
from envdoctor.rules.evidence.used_addresses import fails_alone_too
from envdoctor.rules.processes.prc004_needs_children_in_daemon_worker import refused_children
from envdoctor.rules.remedies.launch_lines import launch_code, launch_piped, made
from envdoctor.rules.remedies.missing_in_worker import kind_of_error, missing_in_worker
from envdoctor.rules.wording.leftovers import listing, place_of

# What the parent sees of a worker that is gone.
ECHOES = ("EOFError", "ConnectionResetError", "BrokenPipeError")
DIFFERENT = re.compile(
    r"not equivalent\. single_(?P<part>\w+)=(?P<first>.+), sub-environment (?P=part)="
    r"(?P<second>.+)\. If"
)
NO_ATTRIBUTE = re.compile(r"^'(\w+)' object has no attribute '(\w+)'")
UNSTACKED = "NestedTensorImpl"  # what TorchRL makes of several tuples, and cannot use


@dataclass(frozen=True)
class StartFailure:
    """The reason of a failed launch: in words, with the error behind it when there is one."""

    cause: str
    error: ErrorValue | None = None


@rule(
    "VEC001",
    "worker-does-not-start",
    where=VECTOR_ONLY,
    blames_itself=True,
    looks_at={"life": "make"},
    follow_ups=("failing-again", "without-shared-memory", "without-buffers"),
    gives_way=(Cause.CONSTRUCTOR_FAILS, Cause.ONE_PER_PROCESS),
)
def worker_does_not_start(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    if run is None or explained_otherwise(view, run):
        return
    failure = why_launch_failed(view, run)
    if failure is None:
        return
    alone = raised_alone(view, failure.error)
    rare = in_the_way(view, _raised_in_launch) if alone is None else ""
    reason = f"; {view.manager} cannot hold {rare}" if rare else ""
    remedy, commands = (
        cure(view, failure, run)
        if alone is None
        else (f"repair the line that is shown: without a manager {alone} raises there, too.", ())
    )
    yield worker_does_not_start.finding(
        f"{'workers do' if view.start_method else 'it does'} not start: {failure.cause}{reason}",
        remedy,
        commands=commands,
        # The control has the subject's spaces, so it fails where they are the obstacle.
        blame=INTERACTION if alone is None else ENVIRONMENT,
        location=users_place(failure.error),
        explained_alone=(Cause.CONSTRUCTOR_FAILS, Cause.ONE_PER_PROCESS)
        if fails_alone_too(view, failure.error) or alone == "make()"
        else (),
        evidence={
            "error": wire_of(failure.error),
            "stacks": run.outcome.stacks,
            "stderr": run.outcome.stderr,
        },
    )


def raised_alone(view: View, error: ErrorValue | None) -> str | None:
    """The call that raises the same error on the same line of the user's without a manager:
    AsyncVectorEnv closes an instance in the parent that it never reset, and many a close() does not
    stand that.
    """
    place, kind = users_place(error), kind_of_error(error)
    if place is None:
        return None
    for run in view.direct.traces:
        for event in run.records(VerbRecord, state="raised"):
            if (users_place(event.error), kind_of_error(event.error)) == (place, kind):
                before = event.verb == "close" and not any(
                    each.verb == "reset" for each in run.records(VerbRecord)
                )
                when = " before the first reset()" if before else ""
                return f"{event.verb.partition(':')[0]}(){when}"
    return None


def explained_otherwise(view: View, run: Trace) -> bool:
    """Return True if another rule reports the cause: the worker does not know the environment
    (REG003, REG004), it died (PRC003), the constructor fails or hangs without a manager as well
    (MAK001, HNG002), one process cannot host two (MAK004), the worker may have no children
    (PRC004), its spaces cannot be sent (VEC005), the reset in its launch hangs (HNG003).
    """
    alone = view.direct.trace("life")
    never_made = alone is not None and not alone.verbs("make", "ended")
    two = view.direct.trace("two-at-once")
    in_process = view.start_method is None
    only_one = (
        in_process
        and two is not None
        and bool(two.verbs("make", "raised") or two.verbs("reset", "raised"))
    )
    known = (
        missing_in_worker(view) is not None
        or payload_in_the_way(view) is not None
        or refused_children(run) is not None
    )
    failing = any(dead_workers(run)) or _resets_fail_alone(view, run) or hung_in(run, "reset", view)
    return never_made or only_one or known or failing


def _resets_fail_alone(view: View, run: Trace) -> bool:
    """Return True if the launch failed because it resets (DI-engine's does), and reset() fails
    without a manager, too.
    """
    alone = view.direct.trace("life")
    return (
        any(run.records(InstanceRecord, what="reset-raised"))
        and alone is not None
        and bool(alone.verbs("reset", "raised"))
    )


def why_launch_failed(view: View, run: Trace) -> StartFailure | None:
    """Return why `make` failed, or the first reset because a worker was not there; None when they
    went well.
    """
    if run.hung_in("make"):
        # A constructor or a close() that hangs is another rule's. A close() that only did not come
        # back is not: the manager may have ended its worker in an earlier launch.
        theirs = unfinished(run) or hung_in(run, "close", view)
        return None if theirs else StartFailure("the launch does not come to an end")
    failed = run.verbs("make", "raised") or (
        run.verbs("reset", "raised")[:1] if lacks_workers(run) else []
    )
    return cause_of(run, failed[0]) if failed else None


def lacks_workers(run: Trace) -> bool:
    """Return True if fewer instances than asked for were built in workers, under a manager that has
    any.
    """
    made = {event.pid for event in run.records(InstanceRecord, what="made", parent=False)}
    return run.scenario.start_method is not None and len(made) < run.scenario.workers


def cause_of(run: Trace, failed: VerbRecord) -> StartFailure:
    """The worker's own error; else the parent's, if it says more than that a process is gone;
    else the last word on stderr.
    """
    for event in run.records(InstanceRecord):
        if event.what in ("make-raised", "reset-raised"):
            return StartFailure(one_line(event.error), event.error)
    error = failed.error
    last_words = [line.strip() for line in run.outcome.stderr.splitlines() if line.strip()]
    if kind_of_error(error) in ECHOES and last_words:
        return StartFailure(last_words[-1], error)
    return StartFailure(one_line(error) + because(error), error)


def because(error: ErrorValue | None) -> str:
    """Return the cause of a manager's error, in brackets: it names what the manager cannot
    handle.
    """
    cause = " ".join((error.cause if error else "").split())
    return f" ({cause})" if cause else ""


def cure(view: View, failure: StartFailure, run: Trace) -> tuple[str, tuple[str, ...]]:
    """Return the remedy; the way without shared memory only when it was seen to work."""
    without = view.trace(WITHOUT_SHARED_MEMORY)
    works = (
        without is not None
        and without.outcome.kind == FINISHED
        and without.verbs("step", "ended")
        and not without_buffers.is_gone_by_itself(view)
    )
    if works:
        return passing(view, view.vectorizer.without_shared_memory), launch_piped(view)
    if without_buffers.plays_without(view):
        return (passing(view, view.vectorizer.without_buffers), without_buffers.lines(view))
    known = shown_in(run, view)
    if known is not None:
        return (
            f"{known.cure}: {known_defect.code} tells what is known of {view.framework.title}.",
            (),
        )
    if kind_of_error(failure.error) in ECHOES:
        return "a worker ended before it built anything; see its stderr in the evidence.", ()
    if users_place(failure.error):
        return "repair the line that is shown: it raises there, though not without a manager.", ()
    if UNSTACKED in failure.cause:
        what = (
            f"let {view.class_name} observe in one Box, or wrap it so: {view.framework.title}"
            " stacks what instances return, and cannot stack a Tuple."
        )
        return what, launch_code(
            (view.manager, view.start_method), f"lambda: {DEFAULT.flatten}({made(view)})"
        )
    rare = in_the_way(view, _raised_in_launch)
    own = listing(view.survey.rare_spaces)
    if own and _are_alike(failure.cause):
        return (
            (
                f"define __eq__() in {own}, where it has none: {view.manager} compares the spaces"
                " of its environments, and two are equal only where the class says so."
            ),
            (),
        )
    if rare:
        return refusal(view, rare), ()
    missing = missing_attribute(view, failure.error)
    if missing:
        return f"give {view.class_name} `{missing}`, which {view.manager} reads of it.", ()
    return (
        (
            f"repair what {view.manager} reports; without a manager the environment can be"
            f" built.{suspected(view)}"
        ),
        (),
    )


def _are_alike(cause: str) -> bool:
    """Return True if two spaces are refused as different ones, and look the same."""
    match = DIFFERENT.search(cause)
    return match is not None and match.group("first") == match.group("second")


def missing_attribute(view: View, error: ErrorValue | None) -> str:
    """The attribute that the manager reads of the subject, which has none; or nothing."""
    match = NO_ATTRIBUTE.search(error.message) if error else None
    owner, name = match.groups() if match else ("", "")
    return str(name) if owner == view.class_name else ""


def _raised_in_launch(view: View) -> list[VerbRecord]:
    run = view.trace("life")
    return run.verbs("make", "raised") if run else []


def passing(view: View, options: Options) -> str:
    """The remedy that passes options to the manager, as it was seen to work."""
    return f"pass {keywords(options)} to {view.vectorizer.class_name}: verified, it works."


def users_place(error: ErrorValue | None) -> Location | None:
    """The user's line of the error, when one is the user's."""
    return place_of(error) if error and error.user is not None else None


def _launch(*traces: Trace, direct: Trace | None = None, start_method: str | None = "fork") -> View:
    view = vector_view(*traces, start_method=start_method)
    return View(
        view.subject,
        view.manager,
        start_method,
        view.traces,
        view.survey,
        other_places=(direct or _BUILT,),
    )


def _example(
    *events: Event,
    name: str = "life",
    stderr: str = "",
    outcome: str = FINISHED,
    start_method: str | None = "fork",
    stacks: str = "",
) -> Trace:
    return trace(
        *events,
        name=name,
        manager="gymnasium-async",
        start_method=start_method,
        outcome=outcome,
        stderr=stderr,
        stacks=stacks,
        verb="make",
    )


_IN_CLOSE = """Current thread 0x01 (most recent call first):
  File "/home/me/walker.py", line 25 in close
"""
_BUILT = trace(instance("made"), verb("make"), verb("reset"), manager=DIRECT)
_NO_SPACE = verb(
    "make",
    "raised",
    error={**raised("builtins.ValueError", "Unsupported space for shared memory"), "user": None},
)
_UNEQUAL = verb(
    "make",
    "raised",
    error={
        **raised(
            "RuntimeError",
            "the spaces are not equivalent. single_observation_space=Words(('a', 'b')),"
            " sub-environment observation_space=Words(('a', 'b')). If this is intentional, say so",
        ),
        "user": None,
        "cause": "",
    },
)
_NO_SPACE_FOR = verb(
    "make",
    "raised",
    error={
        **raised("ValueError", "no shared memory"),
        "user": None,
        "cause": "KeyError: <class 'Mission'>",
    },
)
_ECHO = verb("make", "raised", error={**raised("builtins.EOFError", ""), "user": None})
_IN_WORKER = instance(
    "make-raised", pid=7, parent=False, error=raised("builtins.OSError", "display :0 is in use")
)

_UNEQUAL_SPACES = _launch(_example(_UNEQUAL, start_method=None), start_method=None)

EXAMPLES = (
    Example(
        "a space of its own",
        _launch(
            _example(_NO_SPACE), _example(verb("make"), verb("step:20"), name=WITHOUT_SHARED_MEMORY)
        ),
        "workers do not start: ValueError: Unsupported space for shared memory",
    ),
    Example(
        "two spaces that look the same are not equal",
        replace(
            _UNEQUAL_SPACES,
            survey=survey_of({**_UNEQUAL_SPACES.survey.wire, "rare_spaces": ["Words"]}),
        ),
        "it does not start: RuntimeError: the spaces are not equivalent."
        " single_observation_space=Words(('a', 'b')), sub-environment"
        " observation_space=Words(('a', 'b')). If this is intentional, say so",
    ),
    Example(
        "the manager names the space in the cause",
        _launch(_example(_NO_SPACE_FOR)),
        "workers do not start: ValueError: no shared memory (KeyError: <class 'Mission'>)",
    ),
    Example(
        "the worker's own error, not its echo",
        _launch(_example(_IN_WORKER, _ECHO)),
        "workers do not start: OSError: display :0 is in use",
    ),
    Example(
        "the worker's last words",
        _launch(_example(_ECHO, stderr="Traceback:\nImportError: libGL.so.1\n")),
        "workers do not start: ImportError: libGL.so.1",
    ),
    Example(
        "they start, and die before the first reset",
        _launch(
            _example(
                verb("make"),
                verb("reset", "raised", error=raised("builtins.BrokenPipeError", "broken pipe")),
            )
        ),
        "workers do not start: BrokenPipeError: broken pipe",
    ),
    Example(
        "the launch hangs",
        _launch(_example(verb("make", "began"), outcome="timed-out")),
        "workers do not start: the launch does not come to an end",
    ),
    Example(
        "without workers",
        _launch(_example(_NO_SPACE, start_method=None), start_method=None),
        "it does not start: ValueError: Unsupported space for shared memory",
    ),
    Example(
        "it cannot be built at all: constructor-fails",
        _launch(_example(_ECHO), direct=trace(verb("make", "raised"), manager=DIRECT)),
    ),
    Example(
        "a constructor hangs in a worker: constructor-hangs",
        _launch(_example(instance("making", pid=7, parent=False), outcome="timed-out")),
    ),
    Example(
        "AsyncVectorEnv closes an instance in its launch, and that hangs: close-hangs",
        _launch(
            _example(
                verb("make", "began"), instance("closing"), outcome="timed-out", stacks=_IN_CLOSE
            )
        ),
    ),
    Example(
        "a worker was ended within close() in the first launch, and the second one hangs",
        _launch(
            _example(
                instance("closing", pid=7, parent=False), verb("make", "began"), outcome="timed-out"
            )
        ),
        "workers do not start: the launch does not come to an end",
    ),
    Example("workers start", _launch(_example(verb("make"), verb("reset")))),
)
