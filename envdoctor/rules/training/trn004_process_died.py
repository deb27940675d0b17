"""A process that holds environments dies.

What it does
    Sees how each process of a watched training ends that made environments, also where it is
    not waited for: a signal that is never a request (SIGSEGV, SIGKILL, SIGABRT), an exit in the
    middle of a call, an exit after a call raised. What ends with the process that started it is
    left out. Where its parent was the first to ask how it ended, an end in the middle of a call is
    a note.

Why it matters
    A vectorizer sees a closed pipe at most: it waits for ever, or fails with an error that has
    nothing to do with the cause.

How to fix it
    Play the environment alone, where its error has a traceback:

        envdoctor check my_package:Arm
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import ASKED, Calls, Instances, Process, Training
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import (
    nothing_made,
    of,
    signal_name,
    training_of,
    watched_view,
)

MOMENT = 0.2  # seconds: what ends so shortly before its parent ends because of it


@rule(
    "TRN004",
    "process-died",
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def process_died(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for process in training.processes:
        own = [one for one in training.instances if one.pid == process.pid]
        busy = next((one for one in own if one.running), None)
        raised = next((one for one in own if one.raised), None)
        unknown = busy is not None and _is_unknown(training, process)
        suspect = bool(busy or raised)
        if not own or not (unknown or _is_own_death(training, process, suspect)):
            continue
        first = busy or raised or own[0]
        where = f" in {busy.running}() of {busy.class_name}" if busy else ""
        where = where or (f" after a call of {raised.class_name} raised" if raised else "")
        steps = sum(one.step.began for one in own)
        who = "the training" if process.pid == training.pid else "a worker"
        yield process_died.finding(
            f"{who} {_how(process)}{where}, after {of(steps, 'step')}",
            f"find out what {first.class_name} does there: play it alone with `envdoctor check`.",
            severity=NOTE if unknown else ERROR,
            location=first.location,
            key=(first.type, busy.running if busy else ""),
            blame=ENVIRONMENT if busy and not unknown else UNKNOWN,
            evidence={"pid": process.pid, "vectorizer": first.by, "instances": len(own)},
        )


def _is_unknown(training: Training, process: Process) -> bool:
    """Whether a process ended on its own and it is not known how; one that hung was ended."""
    hung = any(call.pid == process.pid for call in training.long_calls)
    return process.code is None and not hung and _is_alone(training, process)


def _how(process: Process) -> str:
    if process.code is None:
        return "ended, it is not known how,"
    return signal_name(process.code) or f"ended with exit code {process.code}"


def _is_own_death(training: Training, process: Process, suspect: bool) -> bool:
    """Whether a process did not end because it was asked to, or because its parent ended."""
    code = process.code
    if code is None or code == 0 or code in ASKED:
        return False
    if process.pid == training.pid:
        return code < 0
    alone = _is_alone(training, process)
    return (code < 0 and alone) or (suspect and (alone or code > 1))


def _is_alone(training: Training, process: Process) -> bool:
    """Whether the parent of a process was there for a while after it had ended."""
    parent = training.process(process.parent)
    if parent is None or parent.ended is None:
        return True
    return process.ended is not None and process.ended < parent.ended - MOMENT


_AT = Location("/train.py", 14)
_ARM = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 40))


def _example(code: int | None, ended: float = 1.0) -> View:
    trainer, worker = Process(1, code=1, ended=9.0), Process(2, 1, code=code, ended=ended)
    return watched_view(Training((), 1, 1, 9.0, (trainer, worker), (_ARM,)))


EXAMPLES = (
    Example(
        "a simulator that crashes",
        _example(-11),
        ("a worker was killed by SIGSEGV in step() of Arm, after 41 steps",),
    ),
    Example(
        "os._exit()",
        _example(3),
        ("a worker ended with exit code 3 in step() of Arm, after 41 steps",),
    ),
    Example(
        "its parent asked first how it ended",
        _example(None),
        ("a worker ended, it is not known how, in step() of Arm, after 41 steps",),
    ),
    Example("ended by its vectorizer", _example(-15)),
    Example("ended with the trainer", _example(1, ended=9.0)),
)
