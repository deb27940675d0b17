"""Instances of a training are never closed.

What it does
    Counts, for each class and each line that makes instances of it, how many were freed without a
    call of close(), in all processes of a watched training. Those that were open when their process
    ended are a note, and so is one that was freed once and no more. Those of vectorizers are a
    note, too; where a vectorizer is never closed, TRN016 names it in their place. One that a
    vectorizer makes besides those that it plays, to read its spaces, is left out: no script could
    close it. A class that has no close() of its own has nothing to
    give back: it is left out. So is a copy that copy.deepcopy() made and that was never reset: a
    search makes thousands of them, and neither a constructor nor a reset() took anything for it.
    Where an exception ended the script, TRN004 names it in the place of what was open then. Where
    another process ended theirs by terminate() or kill(), its line is named, and instances whose
    close() was cut off by that count as not closed. Where several of a line were never reset or
    stepped, and others of their class were, it says so: they are made for nothing.

Why it matters
    What close() gives back stays: simulators, windows, threads, shared memory. An evaluation
    environment that is made every 10 000 steps and never closed fills the machine in a day.

How to fix it
    Close what you make, also where the code in between raises:

        env = gym.make("Arm-v0")
        try:
            evaluate(model, env)
        finally:
            env.close()

    Ask workers to end, and wait for them, before you end those that do not:

        remote.send("close")
        process.join(timeout=60)
        if process.is_alive():
            process.terminate()

    Let a pool finish: its worker then closes what it has registered.

        multiprocessing.util.Finalize(None, env.close, exitpriority=10)  # in the worker
        pool.close()
        pool.join()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from signal import Signals

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training import OWN_VECTORIZER, VECTORIZER, Training, TrainingProcess
from envdoctor.model.training_aims import CloseMade, JoinFirst
from envdoctor.model.training_ends import Termination
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import (
    by_site,
    made_for_spaces,
    nothing_made,
    of,
    training_of,
    watched_view,
    whose,
)
from envdoctor.rules.evidence.training_sites import SiteLine, lines_of
from envdoctor.rules.remedies.aims import close_made, join_first, make_nothing

SEVERAL = 2  # one may be there to read its spaces
VECTORIZERS, EXCEPTION = Cause.VECTORIZER_NOT_CLOSED, Cause.PROCESS_DIED
_WAIT = (
    "wait for a worker before you end it: process.join(timeout=60) after it was asked to close its"
    " instances, and terminate() only if it is alive after that."
)
_FINISH_POOL = (
    "call close() and join() of the pool: terminate(), which the end of a `with` statement calls,"
    " ends its workers at once. Have each worker close what it made:"
    " multiprocessing.util.Finalize(None, env.close, exitpriority=10)."
)


@rule(
    "TRN001",
    "instance-not-closed",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("instances not closed", "not_closed"),
    gives_way=(VECTORIZERS, EXCEPTION),
)
def instance_not_closed(view: View) -> Iterator[Finding]:
    training = training_of(view)
    lines = [each for each in lines_of(training, VECTORIZER) if each.unclosed]
    hidden = set(map(id, made_for_spaces(training)))
    for group in by_site(
        each
        for each in training.created_here
        if each.closes and not each.is_bare_copy and id(each) not in hidden
    ):
        made, dropped = (
            sum(instances.made for instances in group),
            sum(instances.dropped for instances in group),
        )
        ended = _terminated(training, group)
        cut_off = sum(each.close.running for each in group if each.pid in ended)
        unclosed = sum(each.unclosed for each in group) + cut_off if training.over else dropped
        if not unclosed:
            continue
        first = group[0]
        vectorizer = _vectorizer_of(first, lines) or _own_vectorizer(training, group)
        how = "freed without a close()" if dropped else "open when the process ended"
        how = f"{dropped} {how}" if dropped < unclosed and dropped else how
        is_ended = bool(ended) and not dropped and training.over and vectorizer is None
        by_another = ended if is_ended else {}
        how = _who_ended(training, ended, cut_off) if is_ended else how
        others = None if first.by or is_ended else _others_called(training, group)
        how += "; none of them was reset or stepped" if others is not None else ""
        piled = vectorizer is not None and vectorizer.workers > 0
        cut = training.exception is not None and not dropped
        causes = ((VECTORIZERS, piled), (EXCEPTION, cut))
        yield instance_not_closed.finding(
            f"{unclosed} of {of(made, 'instance')} of {whose(group)} not closed: {how}",
            _cure(first, vectorizer, by_another) if others is None else _make_fewer(others),
            severity=WARNING if dropped > 1 and first.location and not first.by else NOTE,
            aim=_aim(first, vectorizer, by_another)
            if others is None
            else make_nothing(first.location),
            location=first.location,
            key=(first.type,),
            explained_by=tuple(code for code, holds in causes if holds),
            evidence={
                "made": made,
                "not_closed": unclosed,
                "vectorizer": first.by,
                **(
                    {"ended": [asdict(ended[pid]) | {"pid": pid} for pid in ended]} if ended else {}
                ),
            },
        )


def _cure(first: Instances, vectorizer: SiteLine | None, ended: Mapping[int, Termination]) -> str:
    if ended and first.by:
        return "close the vectorizer without ending its workers: it has them close their instances."
    if any(each.pool for each in ended.values()):
        return _FINISH_POOL
    if ended:
        return _WAIT
    if vectorizer is None:
        return f"call close() of each {first.class_name} when it is not needed any more."
    if vectorizer.sites[0].kind == OWN_VECTORIZER:
        return f"call close() of the {vectorizer.name}: its workers end, and close nothing."
    return f"call close() of the {vectorizer.name}: it closes its instances."


def _others_called(training: Training, group: Sequence[Instances]) -> Instances | None:
    """Instances of the same class that are called, where none of a group of several is."""
    if sum(each.made for each in group) < SEVERAL or any(each.is_called for each in group):
        return None
    same = (each for each in training.created_here if each.type == group[0].type)
    return next((each for each in same if each.is_called), None)


def _make_fewer(others: Instances) -> str:
    at = f" at {others.place}" if others.place else ""
    return (
        f"do not make them where nothing plays them: those that are played are made{at}; where one"
        " is made to read its spaces, call its close() then."
    )


def _aim(
    first: Instances, vectorizer: SiteLine | None, ended: Mapping[int, Termination]
) -> CloseMade | JoinFirst | None:
    """Close what the script made: the instance, or the vectorizer that has it. Where the script
    ends the processes before, have it wait.
    """
    if first.by and vectorizer is None:
        return None
    if ended:
        places = {each.location for each in ended.values() if not each.pool}
        return join_first(places.pop()) if len(places) == 1 else None
    return close_made(vectorizer.location if vectorizer else first.location)


def _terminated(training: Training, group: Sequence[Instances]) -> dict[int, Termination]:
    """By process: the request of another one that ended it with instances that were not closed."""
    ended = {}
    for instances in group:
        process = training.process(instances.pid)
        request = process.terminated if process is not None else None
        if request is not None and (instances.unclosed or instances.close.running):
            ended[instances.pid] = request
    return ended


def _who_ended(training: Training, ended: Mapping[int, Termination], cut_off: int) -> str:
    """`the trainer ended 2 workers by SIGTERM (train.py:67 in main), in 1 call of close()`."""
    request = next(iter(ended.values()))
    by = {each.by for each in ended.values()}
    who = "the trainer" if by == {training.pid} else "the process that started it"
    signals = sorted({Signals(each.signal).name for each in ended.values()})
    at, place = request.location, ""
    if at is not None:
        file = at.file.replace("\\", "/").rsplit("/", 1)[-1]
        place = f" ({file}:{at.line} in {at.function})"
    during = f", in {of(cut_off, 'call')} of close()" if cut_off else ""
    return f"{who} ended {of(len(ended), 'worker')} by {' and '.join(signals)}{place}{during}"


def _vectorizer_of(first: Instances, unclosed: Sequence[SiteLine]) -> SiteLine | None:
    """The line of the vectorizers that have instances and were not closed, or nothing."""
    same = [each for each in unclosed if each.location == first.location]
    own = same or (unclosed if first.by else [])
    return max(own, key=lambda each: (each.workers, each.unclosed), default=None)


def _own_vectorizer(training: Training, group: Sequence[Instances]) -> SiteLine | None:
    """The line of the script's own vectorizers, none of them closed, in whose workers the instances
    are that were not closed; nothing where there is none.
    """
    workers = {each.pid for each in group if each.unclosed}
    lines = lines_of(training, OWN_VECTORIZER)
    never = (each for each in lines if each.unclosed == each.made)
    return next((each for each in never if workers <= each.pids), None)


_AT = Location("/train.py", 14)


def _ended_view(arm: Instances) -> View:
    """A training whose trainer ended its worker."""
    request = Termination(15, 1, Location("/train.py", 67, "main"))
    trainer, worker = (
        TrainingProcess(1, code=0, ended=9.0),
        TrainingProcess(2, 1, code=None, ended=8.0),
    )
    processes = (trainer, replace(worker, asked=request))
    return watched_view(Training((), 1, 0, 9.0, processes, (arm,)))


_UNUSED = Instances(1, 1, "arm.Arm", Location("/vector.py", 38), number=8, gone=8, lost=8)
_IN_WORKER = Instances(2, 1, "arm.Arm", _AT, closed=1, reset=Calls(9, 9), step=Calls(90, 90))

EXAMPLES = (
    Example(
        "an evaluation environment that is forgotten",
        watched_view(
            Training((), instances=(Instances(1, 1, "arm.Arm", _AT, number=10, gone=10, lost=10),))
        ),
        "10 of 10 instances of Arm made at /train.py:14 not closed: freed without a close()",
    ),
    Example(
        "a vectorizer that makes what its workers make once more",
        watched_view(Training((), instances=(_UNUSED, _IN_WORKER))),
        "8 of 8 instances of Arm made at /vector.py:38 not closed: freed without a close();"
        " none of them was reset or stepped",
    ),
    Example(
        "one that is made to read its spaces",
        watched_view(
            Training((), instances=(replace(_UNUSED, number=1, gone=1, lost=1), _IN_WORKER))
        ),
        "1 of 1 instance of Arm made at /vector.py:38 not closed: freed without a close()",
    ),
    Example(
        "several, and nothing shows that calls of their class are counted",
        watched_view(Training((), instances=(_UNUSED,))),
        "8 of 8 instances of Arm made at /vector.py:38 not closed: freed without a close()",
    ),
    Example(
        "open to the end",
        watched_view(Training((), instances=(Instances(1, 1, "arm.Arm", _AT),))),
        "1 of 1 instance of Arm made at /train.py:14 not closed: open when the process ended",
    ),
    Example(
        "the trainer ends a worker that closes the second of two",
        _ended_view(Instances(2, 1, "arm.Arm", _AT, number=2, closed=1, close=Calls(1, 0))),
        "2 of 2 instances of Arm made at /train.py:14 not closed: the trainer ended 1"
        " worker by SIGTERM (train.py:67 in main), in 1 call of close()",
    ),
    Example(
        "the trainer has a vectorizer end its workers",
        _ended_view(Instances(2, 1, "arm.Arm", _AT, by="gymnasium-async")),
        "1 of 1 instance of Arm made at /train.py:14 not closed: the trainer ended 1 worker"
        " by SIGTERM (train.py:67 in main)",
    ),
    Example(
        "the trainer ends a worker that has closed all",
        _ended_view(Instances(2, 1, "arm.Arm", _AT, number=2, closed=2, close=Calls(2, 2))),
    ),
    Example(
        "open while the training runs",
        watched_view(Training((), instances=(Instances(1, 1, "arm.Arm", _AT),), over=False)),
    ),
    Example(
        "without a close() of its own",
        watched_view(Training((), instances=(Instances(1, 1, "a.Arm", _AT, closes=False),))),
    ),
    Example(
        "copies of a search that are stepped and never reset",
        watched_view(
            Training(
                (),
                instances=(
                    Instances(
                        *(1, 1, "arm.Arm", _AT),
                        copied=True,
                        number=9,
                        gone=9,
                        lost=9,
                        step=Calls(9, 9),
                    ),
                ),
            )
        ),
    ),
    Example(
        "copies that are reset, and forgotten",
        watched_view(
            Training(
                (),
                instances=(
                    Instances(
                        *(1, 1, "arm.Arm", _AT),
                        copied=True,
                        number=9,
                        gone=9,
                        lost=9,
                        reset=Calls(9, 9),
                    ),
                ),
            )
        ),
        "9 of 9 instances of Arm made at /train.py:14 not closed: freed without a close()",
    ),
    Example(
        "closed", watched_view(Training((), instances=(Instances(1, 1, "arm.Arm", _AT, closed=1),)))
    ),
)
