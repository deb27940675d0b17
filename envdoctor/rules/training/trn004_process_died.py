"""A process that holds environments dies.

What it does
    Sees how each process of a watched training ends that made environments, also where it is
    not waited for: a signal that is never a request (SIGSEGV, SIGKILL, SIGABRT), an exit in the
    middle of a call, an exit after a call raised that was the last one. What ends with the process
    that started it is left out. An end in the middle of a call, or after one that raised, is a note
    where its parent was the first to ask how it ended; in the middle of a call also where SIGKILL
    ended it a moment before its parent ended.

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
from envdoctor.model.training import Calls, Instances, Process, Training
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import deaths


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
    for death in deaths(training):
        who = "the training" if death.process.pid == training.pid else "a worker"
        first = death.first
        yield process_died.finding(
            f"{who} {death.sentence}",
            f"find out what {first.class_name} does there: play it alone with `envdoctor check`.",
            severity=NOTE if death.unknown else ERROR,
            location=first.location,
            key=(first.type, death.method),
            blame=ENVIRONMENT if death.busy and not death.unknown else UNKNOWN,
            evidence={
                "pid": death.process.pid,
                "vectorizer": first.by,
                "instances": len(death.own),
            },
        )


_AT = Location("/train.py", 14)
_ARM = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 40))
_INHERITED = Instances(2, 1, "arm.Arm", _AT, number=0, inherited=1)
_RAISED = Instances(2, 1, "arm.Arm", _AT, raised=1, step=Calls(41, 41))
_RECOVERED = Instances(2, 1, "arm.Arm", _AT, raised=1, since=40, step=Calls(41, 41))


def _example(code: int | None, ended: float = 1.0, arm: Instances = _ARM) -> View:
    trainer, worker = Process(1, code=1, ended=9.0), Process(2, 1, code=code, ended=ended)
    return watched_view(Training((), 1, 1, 9.0, (trainer, worker), (arm,)))


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
    Example(
        "it raised, and its parent asked first how it ended",
        _example(None, arm=_RAISED),
        ("a worker ended, it is not known how, after a call of Arm raised, after 41 steps",),
    ),
    Example(
        "a simulator that crashes at the end of a short training",
        _example(-11, ended=8.9),
        ("a worker was killed by SIGSEGV in step() of Arm, after 41 steps",),
    ),
    Example(
        "killed a moment before the training ended",
        _example(-9, ended=8.9),
        ("a worker was killed by SIGKILL in step() of Arm, after 41 steps",),
    ),
    Example("ended by its vectorizer", _example(-15)),
    Example("a simulator that inherited the page by fork", _example(-9, arm=_INHERITED)),
    Example(
        "a worker that became another Python by exec",
        watched_view(
            Training((), 1, 1, 9.0, (Process(1), Process(2, 1, ended=1.0), Process(2, 1)), (_ARM,))
        ),
    ),
    Example("ended with the trainer", _example(1, ended=9.0)),
    Example("it raised, was reset, and was ended in the end", _example(1, 1.0, _RECOVERED)),
)
