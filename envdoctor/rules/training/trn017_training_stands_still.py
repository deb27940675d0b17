"""Nothing in a training runs any more.

What it does
    Sees that no call of an environment comes back and that no thread of any process of the watched
    training has run for 5 s, and reads from the kernel what each of them waits for: a pipe or a
    socket and who has its other end, a child, a lock. Where a main thread waits for a lock, the
    lines are named in which other threads of its process wait. A thread that only sleeps and wakes,
    such as one that shows progress, is passed over where Ctrl-C came: then it is a note. It says
    which processes were at their exit: Python waits there for workers that are not daemons, and for
    the threads that feed queues. It is reported where the training is in this state, or was ended
    in it by a signal or with an exit code. It is an error where the trainer, and all that could
    wake it, wait for each other, so that none can go on; a note where something outside may still
    come. A training that ends with exit code 0 is reported only for such an error that Ctrl-C
    ended: Python ignores it at its exit. Named is a lock that a thread of the parent held when a
    process was forked, or took for a task that was cancelled: nothing releases it. A process that
    waits for the former is reported where others run on, too. So is a call named that would end the
    wait of a thread, where all threads of the trainer wait. A trainer that polls is a note where
    Ctrl-C ended it: for 5 s at least it did nothing but sleep and wake, called no environment, and
    wrote nothing, neither an order nor a log. Threads that the same file started are named where
    all of a line had ended. So is a loop that plays one episode, which only the end of that episode
    ends: 2,000 steps after its reset(), and ten times as many as the episodes before it had, it was
    still in that one when Ctrl-C came. Where a worker died (TRN004), or a call of an environment
    does not come back (TRN005), that is the cause, and this is part of it.

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
from dataclasses import replace

from envdoctor.model.finding import ERROR, NOTE, UNKNOWN, Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.training import (
    INTERRUPT,
    OWN_VECTORIZER,
    PROCESS,
    THREAD,
    Site,
    Standstill,
    Training,
    TrainingProcess,
)
from envdoctor.model.training_calls import LONG
from envdoctor.model.training_ends import EpisodeLoop, Polling
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import CHILD, LOCK, PIPE, READS, SOCKET, WRITES, Wait
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.stacks import main_first, own_frame
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import deaths
from envdoctor.rules.evidence.training_forks import standstill_cause
from envdoctor.rules.evidence.training_sites import lines_of, unclosed_vectorizers
from envdoctor.rules.remedies.aims import close_made, end_once, leave_wait
from envdoctor.rules.remedies.training_failures import spawn_workers
from envdoctor.rules.wording.standing_still import (
    ended_by_ctrl_c,
    ended_threads,
    held_by_ended,
    how_to_leave_one,
    lost_lock,
    lost_lock_remedy,
    missed_calls,
    no_thread_left,
    remedy_of,
    sentence_of,
    standstill_remedy,
)
from envdoctor.rules.wording.waits import (
    ITS_THREADS,
    but_for,
    fed_beside,
    full_pipe,
    is_deadlock,
    joins_thread,
    purpose_in_library,
    sentences,
    stacks_of,
    waits_by_process,
    waits_for_itself,
)

DIED, HANGS = Cause.PROCESS_DIED, Cause.CALL_HANGS
LONG_EPISODE, MUCH_LONGER = 2000, 10  # steps; times as many as those before it
POLLS = 10  # times that it woke: one long sleep is none
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
    if still is None or still.seconds < LONG or _is_passed_over(still):
        yield from _polls(training)
        yield from _plays_on(training)
        return
    can_wake = bool(still.ticking) or not is_deadlock(still.waits, training.pid)
    is_final = bool(still.stuck) or not can_wake
    if training.over and training.code == 0 and not (is_final and _is_unwanted(training, still)):
        return
    exiting = [process.pid for process in training.processes if training.is_exiting(process.pid)]
    words = list(sentences(still.waits, still.stacks, training.pid, exiting))
    shown = "; ".join(words[:MOST])
    if len(words) > MOST:
        shown += f"; and {of(len(words) - MOST, 'more process', 'more processes')}"
    fork = standstill_cause(training, still)
    missed = () if fork else missed_calls(still, training.pid)
    shown += f"; {fork.words}" if fork else _ended_before(training, still) + lost_lock(training)
    shown += no_thread_left(missed)
    held, let_go = held_by_ended(training, still) if not fork else ("", "")
    shown += held
    place = own_frame(stacks_of(still.stacks, training.pid), "")
    cure = lost_lock_remedy(training) or how_to_leave_one(missed, place) or let_go
    yield training_stands_still.finding(
        f"{_subject(still)} ran for {still.seconds:.0f} s{_after(training, still)}"
        + (f": {shown}" if shown else ""),
        fork.remedy if fork else cure or standstill_remedy(training, still),
        aim=spawn_workers(training) if fork else _aim(training, still, place),
        severity=ERROR if is_final else NOTE,
        location=place,
        blame=UNKNOWN,
        key=("standstill",),
        explained_by=_causes(training),
        evidence={"waits": words, "stacks": main_first(still.stacks)},
    )


def _is_passed_over(still: Standstill) -> bool:
    """Return whether threads that wake now and then may have ended it, and no request did."""
    return bool(still.ticking) and not (still.stuck or still.asked)


def _subject(still: Standstill) -> str:
    """The part that did not run: all, or all but some threads, or some processes of many."""
    if still.stuck:
        return f"no thread of {of(len(still.stuck), 'forked process', 'forked processes')}"
    return f"nothing in the training{but_for(still.ticking)}"


def _polls(training: Training) -> Iterator[Finding]:
    """The finding of a trainer that waits for something by looking again and again."""
    polling, trainer = training.polling, training.process(training.pid)
    if polling is None or not (training.over and polling.asked):
        return
    raised = trainer.raised if trainer is not None else None
    is_interrupted = raised is not None and raised.type == INTERRUPT
    if not is_interrupted or raised is None or polling.wakes < POLLS or polling.seconds < LONG:
        return
    at, ended = raised.location, ended_threads(training, raised.location, polling)
    yield training_stands_still.finding(
        sentence_of(polling, at, ended),
        remedy_of(ended),
        aim=leave_wait(at, ended[0].location) if len(ended) == 1 else None,
        severity=NOTE,
        location=at,
        blame=UNKNOWN,
        key=("polling",),
        explained_by=(DIED, HANGS),
        evidence={"seconds": polling.seconds, "wakes": polling.wakes, "resets": polling.resets},
    )


def _plays_on(training: Training) -> Iterator[Finding]:
    """The finding of a loop that plays one episode, which had not ended when Ctrl-C came."""
    loop = training.episode
    used = [each for each in training.instances if each.pid == training.pid and each.is_used]
    # Of several, it is not known which the loop steps.
    if loop is None or len(used) != 1 or used[0].number != 1 or not _is_long(used[0]):
        return
    instance, place, name = used[0], loop.location, used[0].class_name
    earlier = ""
    if instance.reset.ended > 1:
        mean = (instance.step.ended - instance.episode) / (instance.reset.ended - 1)
        earlier = f"; the episodes before had {of(round(mean), 'step')} in the mean"
    yield training_stands_still.finding(
        f"{place.function}() plays an episode that had not ended when Ctrl-C came"
        f" ({short(place.file)}:{place.line}): {name} had played {instance.episode:,} steps since"
        f" its last reset(), and only its end ends the loop{earlier}",
        f"give {name} a time limit (a wrapper such as TimeLimit, or max_episode_steps where it is"
        " registered), or have the loop count its steps.",
        severity=NOTE,
        location=place,
        blame=UNKNOWN,
        key=("episode", instance.type),
        explained_by=(DIED, HANGS),
        evidence={"steps": instance.episode, "resets": instance.reset.ended},
    )


def _is_long(instance: Instances) -> bool:
    """Return whether an episode is long, by itself and beside those before it."""
    before, episodes = instance.step.ended - instance.episode, instance.reset.ended - 1
    usual = before / episodes if episodes > 0 else 0.0
    return instance.episode >= max(LONG_EPISODE, MUCH_LONGER * usual)


def _is_unwanted(training: Training, still: Standstill) -> bool:
    """Return whether a training that ended well was asked to out of a standstill, and did not wait
    for that: a script may wait in a lock for the signal that its handler gives on.
    """
    own = waits_by_process(still.waits).get(training.pid)
    waits_for_lock = own is None or own.on == LOCK
    at_exit = own is not None and purpose_in_library(own, still.stacks) == ITS_THREADS
    is_exiting = at_exit or training.is_exiting(training.pid)
    return still.asked and (is_exiting or not waits_for_lock)


def _causes(training: Training) -> tuple[Cause, ...]:
    """Return the rules whose finding explains it. What ended the script does not: it had ended
    before, and should have exited.
    """
    is_after_script = training.is_exiting(training.pid) and not list(deaths(training))
    return (HANGS,) if is_after_script else (DIED, HANGS)


def _after(training: Training, still: Standstill) -> str:
    """The exception that had ended the script before, or nothing."""
    process = training.process(training.pid)
    raised = process.raised if process is not None else None
    if raised is None or raised.type == INTERRUPT or not training.is_exiting(training.pid):
        return ""
    return f" after {raised.sentence}" if raised.at < still.at else ""


def _ended_before(training: Training, still: Standstill) -> str:
    """That workers had ended, where the trainer, or a thread that it joins, waits for an answer
    that only it could send.
    """
    own = waits_by_process(still.waits).get(training.pid)
    if own is None:
        return ""
    threads = [each for each in still.waits if each.pid == training.pid]
    awaited = threads if joins_thread(own, still.stacks) else [own]
    if not any(map(waits_for_itself, awaited)):
        return ""
    used = {instance.pid for instance in training.instances if instance.is_used} - {training.pid}
    workers = [training.process(pid) for pid in used]
    ended = [
        worker
        for worker in workers
        if worker and worker.ended is not None and worker.ended < still.at
    ]
    return f"; {of(len(ended), 'worker')} had ended before" if ended else ""


def _aim(training: Training, still: Standstill, place: Location | None) -> Aim | None:
    """The aim of the remedy, where a line is known at which it can be reached."""
    own = waits_by_process(still.waits).get(training.pid)
    if own is None:
        return None
    if waits_for_itself(own):
        places = {each.location for each in lines_of(training, PROCESS, training.pid)}
        ended = ended_by_ctrl_c(training)
        return end_once(places.pop(), "interrupt") if ended and len(places) == 1 else None
    if joins_thread(own, still.stacks):
        return end_once(place, "last")
    if purpose_in_library(own, still.stacks) == ITS_THREADS:
        started = (each.location for each in lines_of(training, THREAD, training.pid))
        return close_made(next(filter(None, started), None))
    unclosed = unclosed_vectorizers(training, training.pid)
    if own.on == CHILD and training.is_exiting(training.pid) and len(unclosed) == 1:
        return close_made(unclosed[0].location)
    writer = full_pipe(still.waits, training.pid) or fed_beside(still.waits, own, still.stacks)
    return end_once(place, "read") if writer is not None and own.on == CHILD else None


def _example(
    *waits: Wait,
    code: int = -2,
    exits: float | None = None,
    raised: Raised | None = None,
    asked: bool = False,
    stacks: str = "",
    sites: tuple[Site, ...] = (),
    ticking: int = 0,
) -> View:
    arm = Instances(1, 1, "arm.Arm")
    trainer = TrainingProcess(1, code=code, ended=60.0, raised=raised, exits=exits)
    worker = TrainingProcess(2, 1, code=0, ended=10.0)
    used = replace(arm, pid=2, step=Calls(40, 40), closed=1)
    still = Standstill(40.0, waits, stacks, at=20.0, asked=asked, ticking=ticking)
    processes, instances = (trainer, worker), (arm, used)
    return watched_view(
        Training((), 1, code, 60.0, processes, instances, standstill=still, sites=sites)
    )


def _polling_view(polling: Polling, *sites: Site) -> View:
    """A training that Ctrl-C ended, whose worker plays."""
    raised = Raised(INTERRUPT, location=Location("/train.py", 45, "main"))
    trainer = TrainingProcess(1, code=130, ended=60.0, raised=raised)
    used = Instances(2, 1, "arm.Arm", reset=Calls(2690, 2690), step=Calls(9000, 9000))
    return watched_view(
        Training((), 1, 130, 60.0, (trainer,), (used,), sites=sites, polling=polling)
    )


def _episode_view(resets: int, steps: int, episode: int, others: int = 0) -> View:
    """A training that Ctrl-C ended in a loop that plays one episode."""
    raised = Raised(INTERRUPT, location=Location("/arm.py", 28, "step"))
    trainer = TrainingProcess(1, code=130, ended=60.0, raised=raised)
    counts = Calls(resets, resets), Calls(steps, steps)
    used = Instances(1, 1, "arm.Arm", episode=episode, reset=counts[0], step=counts[1])
    loop = EpisodeLoop(Location("/train.py", 64, "scorer"))
    own = (used, *(replace(used, row=2 + at, episode=100) for at in range(others)))
    return watched_view(Training((), 1, 130, 60.0, (trainer,), own, episode=loop))


_JOIN = Wait(1, "python train.py", "wait4", CHILD, "", (2,), True)
_FEED = Wait(2, "python train.py", "write", PIPE, WRITES, (1, 2), True, main=False)
_ORDERS = Wait(2, "python train.py", "read", SOCKET, READS, (1,), True)
_ITS_LOCK = Wait(1, "python train.py", "futex", LOCK, "", (1,), True)
_IN_PUT = """Process 1 (python train.py):
Current thread 0x1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/usr/lib/python3.11/queue.py", line 140 in put
  File "/arm/train.py", line 41 in main
"""
_AT_EXIT = """Process 1 (python train.py):
Thread 0x2 (most recent call first):
  File "/usr/lib/python3.11/queue.py", line 171 in get
  File "/arm/train.py", line 25 in write
Current thread 0x1 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1590 in _shutdown
"""
_SHUT = Wait(2, "python train.py", "futex", LOCK, "", (2,), True)

_OPEN = Site(1, OWN_VECTORIZER, "train.Envs", Location("/train.py", 61), made=1, workers=1)
_ENVS = (_OPEN, replace(_OPEN, location=Location("/train.py", 71), closed=1))

_POLLS, _AT_LOGS = Polling(13.2, 1203, 2688, asked=True), Location("/logs.py", 9)
_DRAWS = Site(1, THREAD, "", Location("/train.py", 9, "main"), "train.draw", made=1, pids=(7,))

EXAMPLES = (
    Example(
        "join() before get()",
        _example(_JOIN, _SHUT, _FEED),
        "nothing in the training ran for 40 s: the trainer waits for the end of pid 2; pid"
        " 2 (python train.py) waits until the trainer reads a pipe that is full",
    ),
    Example(
        "a service that does not answer",
        _example(Wait(1, "python train.py", "recvfrom", SOCKET, READS)),
        "nothing in the training ran for 40 s: the trainer waits for a socket",
    ),
    Example(
        "a queue that is full, and that only the trainer empties",
        _example(_ITS_LOCK, stacks=_IN_PUT),
        "nothing in the training ran for 40 s: the trainer waits in put() (train.py:41) for"
        " room in a queue that is full",
    ),
    Example(
        "Ctrl-C ended the wait for a thread at the exit of a script that ended well",
        _example(_ITS_LOCK, code=0, asked=True, stacks=_AT_EXIT),
        "nothing in the training ran for 40 s: the trainer waits at its exit for the end of"
        " its threads, while 1 other thread of it waits in get() (train.py:25)",
    ),
    Example(
        "a put() that may have a limit",
        _example(replace(_ITS_LOCK, known=False), stacks=_IN_PUT),
        "nothing in the training ran for 40 s: the trainer waits in put() (train.py:41) for"
        " a lock or for time to pass",
    ),
    Example(
        "the thread ended by itself, and the script well",
        _example(_ITS_LOCK, code=0, stacks=_AT_EXIT),
    ),
    Example(
        "a queue that is empty, and into which only the trainer puts",
        _example(_ITS_LOCK, stacks=_IN_PUT.replace("in put", "in get")),
        "nothing in the training ran for 40 s: the trainer waits in get() (train.py:41) for"
        " something in a queue that is empty",
    ),
    Example(
        "a thread shows progress, and Ctrl-C came",
        _example(_ITS_LOCK, stacks=_IN_PUT, asked=True, ticking=1),
        "nothing in the training but 1 thread that only sleeps and wakes ran for 40 s: the"
        " trainer waits in put() (train.py:41) for room in a queue that is full",
    ),
    Example(
        "a thread wakes now and then, and may have ended the training",
        _example(_ITS_LOCK, stacks=_IN_PUT, ticking=2),
    ),
    Example("it went on, and ended well", _example(_JOIN, _SHUT, _FEED, code=0)),
    Example(
        "an exception, and Python waits at its exit for workers that wait for orders",
        _example(
            _JOIN,
            _ORDERS,
            code=1,
            exits=5.0,
            raised=Raised("ValueError", "no loss", Location("/train.py", 59, "train"), at=5.0),
        ),
        "nothing in the training ran for 40 s after ValueError: no loss (train.py:59 in"
        " train): the trainer waits at its exit for the end of pid 2; pid 2 (python"
        " train.py) waits for an answer of the trainer on a socket",
    ),
    Example(
        "Ctrl-C ended that, and the script had ended well",
        _example(_JOIN, _ORDERS, code=0, exits=5.0, asked=True),
        "nothing in the training ran for 40 s: the trainer waits at its exit for the end of"
        " pid 2; pid 2 (python train.py) waits for an answer of the trainer on a socket",
    ),
    Example(
        "it waits for the workers of the one of two vectorizers that nothing closed",
        _example(_JOIN, _ORDERS, code=0, exits=5.0, asked=True, sites=_ENVS),
        "nothing in the training ran for 40 s: the trainer waits at its exit for the end of"
        " pid 2; pid 2 (python train.py) waits for an answer of the trainer on a socket",
    ),
    Example(
        "a trainer that waits for data by looking every 10 ms",
        _polling_view(replace(_POLLS, threads=(1, 7)), _DRAWS, replace(_DRAWS, location=_AT_LOGS)),
        "the trainer polled for 13 s until Ctrl-C in main (train.py:45): it slept 1,203"
        " times and sent nothing, while the environments began 2,688 episodes",
    ),
    Example(
        "it polls for what a thread of the same file did, which has ended",
        _polling_view(replace(_POLLS, threads=(1, 8)), _DRAWS),
        "the trainer polled for 13 s until Ctrl-C in main (train.py:45): it slept 1,203"
        " times and sent nothing, while the environments began 2,688 episodes; the thread"
        " of draw(), started at train.py:9 in main(), had ended",
    ),
    Example("one that is not asked to end", _polling_view(replace(_POLLS, asked=False), _DRAWS)),
    Example(
        "an evaluation that plays until the episode is over, and no episode ends",
        _episode_view(1, 16_610, 16_610),
        "scorer() plays an episode that had not ended when Ctrl-C came (train.py:64): Arm"
        " had played 16,610 steps since its last reset(), and only its end ends the loop",
    ),
    Example(
        "the episodes before were short",
        _episode_view(101, 30_000, 10_000),
        "scorer() plays an episode that had not ended when Ctrl-C came (train.py:64): Arm"
        " had played 10,000 steps since its last reset(), and only its end ends the loop;"
        " the episodes before had 200 steps in the mean",
    ),
    Example("one of two instances", _episode_view(1, 16_610, 16_610, others=1)),
    Example("long episodes, as those before it", _episode_view(11, 27_500, 2_500)),
    Example("an episode that has just begun", _episode_view(1, 1_999, 1_999)),
    Example("one long sleep", _polling_view(Polling(60.0, 1, 2688, asked=True))),
    Example(
        "the script waits for a signal in a lock, which its handler releases",
        _example(Wait(1, "python train.py", "futex", LOCK, "", (1,), True), code=0, asked=True),
    ),
    Example(
        "Ctrl-C ended a service that was left to run, and waits for requests",
        _example(_JOIN, Wait(2, "python serve.py", "accept4"), code=0, exits=5.0, asked=True),
    ),
    Example(
        "a pipe whose worker has ended, and whose other end the trainer has",
        _example(Wait(1, "python train.py", "read", SOCKET, READS, (1,), True)),
        "nothing in the training ran for 40 s: the trainer waits for a socket whose other"
        " end only it has itself; 1 worker had ended before",
    ),
)
