"""Nothing in a training runs any more.

What it does
    Sees that no call of an environment comes back and that no thread of any process of the watched
    training has run for 5 s, and reads from the kernel what each of them waits for: a pipe or a
    socket and who has its other end, a child, a lock. It is reported where the training ended out
    of that, by a signal or with an exit code, or is in it. It is an error where each thread waits
    for another one of the same processes, so that none can go on; a note where something outside
    may still come. Where a worker died (TRN004), or a call of an environment does not come back
    (TRN005), that is the cause, and this is part of it.

Why it matters
    A training that waits for itself looks like one that is slow, and uses a machine until it is
    looked at.

How to fix it
    Read what workers send before you wait for their end: a worker ends when its queue is empty.

        results = [queue.get(timeout=60) for _ in workers]
        for worker in workers:
            worker.join()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ERROR, NOTE, UNKNOWN, Finding
from envdoctor.model.training import LONG, Instances, Standstill, Training
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, WRITES, Wait
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.stacks import main_first, own_frame
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.wording.waits import (
    full_pipe,
    is_deadlock,
    pipe_remedy,
    sentences,
    stacks_of,
    waits_by_process,
)

DIED, HANGS = "TRN004", "TRN005"
MOST = 3  # processes in the sentence


def _unjudged(view: View) -> str:
    return "" if training_of(view).standstill is not None else nothing_made(view)


@rule(
    "TRN017",
    "training-stands-still",
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    gives_way=(DIED, HANGS),
)
def training_stands_still(view: View) -> Iterator[Finding]:
    training = training_of(view)
    still = training.standstill
    if still is None or still.seconds < LONG or (training.over and training.code == 0):
        return
    words = list(sentences(still.waits, still.stacks, training.pid))
    shown = "; ".join(words[:MOST])
    if len(words) > MOST:
        shown += f"; and {of(len(words) - MOST, 'more process', 'more processes')}"
    writer = _writer(still, training.pid)
    yield training_stands_still.finding(
        f"nothing in the training ran for {still.seconds:.0f} s" + (f": {shown}" if shown else ""),
        _remedy(still, writer, training.pid),
        severity=ERROR if is_deadlock(still.waits) else NOTE,
        location=own_frame(stacks_of(still.stacks, training.pid), ""),
        blame=UNKNOWN,
        key=("standstill",),
        explained_by=(DIED, HANGS),
        evidence={"waits": words, "stacks": main_first(still.stacks)},
    )


def _writer(still: Standstill, trainer: int) -> Wait | None:
    """A process that waits until the trainer reads what it writes."""
    return full_pipe(still.waits, trainer)


def _remedy(still: Standstill, writer: Wait | None, trainer: int) -> str:
    own = waits_by_process(still.waits).get(trainer)
    if writer is not None and own is not None and own.on == CHILD:
        return (
            "take what the child sends (queue.get(), or read its pipe) before join() or wait(): it"
            " ends when all that it wrote was read."
        )
    if writer is not None:
        return pipe_remedy(writer)
    return "see what each process waits for, and give each wait a limit: get(timeout=60)."


def _example(*waits: Wait, code: int = -2) -> View:
    arm = Instances(1, 1, "arm.Arm")
    seen = Training((), 1, code, 60.0, instances=(arm,), standstill=Standstill(40.0, waits))
    return watched_view(seen)


_JOIN = Wait(1, "python train.py", "wait4", CHILD, "", (2,), True)
_FEED = Wait(2, "python train.py", "write", PIPE, WRITES, (1, 2), True, main=False)
_SHUT = Wait(2, "python train.py", "futex", LOCK, "", (2,), True)

EXAMPLES = (
    Example(
        "join() before get()",
        _example(_JOIN, _SHUT, _FEED),
        (
            (
                "nothing in the training ran for 40 s: the trainer waits for the end of pid 2; pid"
                " 2 (python train.py) waits until the trainer reads a pipe that is full"
            ),
        ),
    ),
    Example(
        "a service that does not answer",
        _example(Wait(1, "python train.py", "recvfrom", SOCKET, READS)),
        ("nothing in the training ran for 40 s: the trainer waits for a socket",),
    ),
    Example("it went on, and ended well", _example(_JOIN, _SHUT, _FEED, code=0)),
)
