"""A process that holds environments dies.

What it does
    Reports how each process that made environments ends, also where its parent does not wait for
    it: a signal that is never a request (SIGSEGV, SIGKILL, SIGABRT), an exit in the middle of a
    call, an exit after a call raised that was the last one. What ends with the process that started
    it is left out, and what another process ends by terminate() or kill() of multiprocessing:
    TRN001 names its line. An end in the middle of a call, or after one that raised, is a note where
    the way it ended is not known, because its parent does not use multiprocessing and asked first;
    in the middle of a call also where SIGKILL ended it a moment before its parent ended. The
    exception that ended a worker is named with its line, also where its constructor raised and no
    instance was made. Where the trainer's process is killed by a signal outside of any call of an
    environment, no environment is blamed; SIGKILL, which may be wanted, is a note there. An
    exception that ends a worker between two calls of an environment that is open is an error where
    the trainer fails because of it: its pipe is closed, or nothing runs any more. It is a note
    elsewhere. So is a worker reported in which no environment is known, as a note only where none
    is known at all; spawned ones that import a script without a guard, with its line.

    The exception that ends the script is a note, and a warning where a call of an environment
    raised last, also in a worker that lives on; so is one that ends a thread then. Where no
    environment is known, it is reported where it left reset() or step() of a class of the script's
    own that has both, or where a lock belongs to another event loop than the one that runs, whose
    line is named. It is a warning, too, where a pipe raised whose workers had ended after their
    environments were closed, where instances were handed to a vectorizer that takes functions,
    where what was to go to another process cannot be pickled, whose part and line are named, where
    a wrapper lacks an attribute that what it wraps has, and where an id is not known whose module
    is there and was not imported. The line is named that had closed the instance of the call, and
    what a call raised right before close() did. Named are, too, an action of step() that is not in
    its space, the call that returned a dict without a key, and an observation that a vectorizer
    could not take. Of a crash it is the line that faulthandler wrote, where nothing else has
    switched that on. Where the interface of before Gym 0.26 met the one after it, what was missed
    is said.

Why it matters
    A vectorizer sees a closed pipe at most: it waits for ever, or fails with another error.

How to fix it
    Play the environment alone, where its error has a traceback:

        envdoctor check my_package:Arm
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import Handed, Standstill, Training, TrainingProcess
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.waits import PIPE, READS, Wait
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import (
    CONNECTION,
    EmptyWorkers,
    Ending,
    crash_line,
    deaths,
    empty_workers,
    endings,
    is_by_environment,
    is_minor,
)
from envdoctor.rules.remedies.training_failures import mend_death, mend_empty, mend_ending
from envdoctor.rules.wording.training_deaths import (
    aftermath,
    end_of_empty,
    evidence_of,
    place_of,
    remedy_of,
    sentence_of,
    who_died,
)


def _nothing_known(view: View) -> str:
    training = training_of(view)
    is_known = any(empty_workers(training)) or any(endings(training))
    return "" if is_known else nothing_made(view)


@rule(
    "TRN004",
    "process-died",
    explains=Cause.PROCESS_DIED,
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_nothing_known,
)
def process_died(view: View) -> Iterator[Finding]:
    training = training_of(view)
    emptied, died = list(empty_workers(training)), list(deaths(training))
    yield from (_emptied(training, workers) for workers in emptied)
    if not died and not any(workers.fatal for workers in emptied):
        yield from (_ended(training, ending) for ending in endings(training))
    for death in died:
        raised, first = death.process.raised, death.first
        place = None if death.outside or first is None else first.location
        yield process_died.finding(
            f"{who_died(training, death)} {death.sentence}{aftermath(training, death)}",
            remedy_of(training, death),
            aim=mend_death(training, death),
            severity=NOTE if is_minor(training, death) else ERROR,
            location=(raised.location if raised else crash_line(death.process)) or place,
            key=(first.type if first is not None else "", death.method),
            blame=ENVIRONMENT if is_by_environment(death) else UNKNOWN,
            evidence=evidence_of(training, death),
        )


def _ended(training: Training, ending: Ending) -> Finding:
    """The finding on an exception that ended the script or a thread."""
    name = ending.instance.type if ending.instance is not None else ending.unfollowed
    words, remedy, is_known = sentence_of(training, ending)
    return process_died.finding(
        words,
        remedy,
        aim=mend_ending(ending, training),
        severity=WARNING if name or is_known else NOTE,
        location=place_of(ending),
        key=(name, "thread" if ending.is_thread else "script"),
        blame=UNKNOWN,
        evidence={"pid": ending.process.pid},
    )


def _emptied(training: Training, workers: EmptyWorkers) -> Finding:
    """The finding on workers that an exception ended, and in which no environment is known."""
    is_fatal = workers.fatal is not None or training.standstill is not None
    return process_died.finding(
        *end_of_empty(workers),
        aim=mend_empty(workers.error),
        severity=ERROR if is_fatal else NOTE,
        location=workers.error.location,
        key=(workers.error.type, "worker"),
        blame=UNKNOWN,
        evidence={"pid": workers.first.pid, "workers": workers.number},
    )


_AT = Location("/train.py", 14)
_ARM = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 40))
_INHERITED = Instances(2, 1, "arm.Arm", _AT, number=0, inherited=1)
_RAISED = Instances(2, 1, "arm.Arm", _AT, raised=1, step=Calls(41, 41))
_RECOVERED = Instances(2, 1, "arm.Arm", _AT, raised=1, since=40, step=Calls(41, 41))


def _example(
    code: int | None,
    ended: float = 1.0,
    arm: Instances = _ARM,
    raised: Raised | None = None,
    still: Standstill | None = None,
    fatal: Raised | None = None,
) -> View:
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=fatal)
    worker = TrainingProcess(2, 1, code=code, ended=ended, raised=raised)
    return watched_view(Training((), 1, 1, 9.0, (trainer, worker), (arm,), standstill=still))


_ERROR = Raised("RuntimeError", "lost", Location("/arm.py", 22, "step"))
_PICKLE = Raised("AttributeError", "Can't pickle a lambda", Location("/train.py", 41, "work"))
_EOF = Raised("EOFError", "", Location("/train.py", 61, "ask"), within=CONNECTION, at=5.0)
_OPEN = Instances(2, 1, "arm.Arm", _AT, step=Calls(41, 41))


def _between(raised: Raised, error: Raised | None, closed: int = 0) -> View:
    """A worker that `raised` outside of any call, and what ended the trainer after it."""
    code = 0 if error is None else 1
    trainer = TrainingProcess(1, code=code, ended=9.0, raised=error, exits=5.1)
    worker = TrainingProcess(2, 1, code=1, ended=4.1, raised=raised, exits=4.0)
    arm = replace(_OPEN, closed=closed)
    return watched_view(Training((), 1, code, 9.0, (trainer, worker), (arm,)))


def _asked(
    worker: TrainingProcess, arm: Instances, error: Raised = _EOF, handed: Handed | None = None
) -> View:
    """A trainer that an exception ended, and what its worker was then."""
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=error, exits=5.1, handed=handed)
    return watched_view(Training((), 1, 1, 9.0, (trainer, worker), (arm,)))


_CLOSED = TrainingProcess(2, 1, started="fork", code=0, ended=4.1, exits=4.0)
_WORKER = TrainingProcess(2, 1, started="fork", code=-15, ended=5.2)
_RESET = Raised("ConnectionResetError", "", Location("/train.py", 48, "main"), "", CONNECTION, 5.0)
_NO_ID = Raised("gymnasium.error.NameNotFound", "`Walker`", Location("/train.py", 39, "make"))
_NO_CLOSE = Raised("AttributeError", "no attribute 'close'", Location("/train.py", 49, "work"))


_TWICE = Raised(
    "RuntimeError",
    "An attempt has been made to start a new process before the current process has finished its"
    " bootstrapping phase. This probably means",
    Location("/train.py", 5, "<module>"),
)


def _empty(error: Raised, fatal: Raised | None, *others: Instances, exits: float = 4.0) -> View:
    """Two workers without environments that an exception ended, and what ended the trainer."""
    code = 0 if fatal is None else 1
    trainer = TrainingProcess(1, code=code, ended=9.0, raised=fatal, exits=5.1)
    worker = TrainingProcess(2, 1, "", "fork", code=1, ended=4.1, raised=error, exits=exits)
    workers = (worker, replace(worker, pid=3))
    return watched_view(Training((), 1, code, 9.0, (trainer, *workers), others))


def _stopped(error: Raised, is_still: bool = True) -> View:
    """A worker that an exception ended, of a training that stood still, or ran, until Ctrl-C."""
    interrupted = Raised("KeyboardInterrupt", at=8.0)
    trainer = TrainingProcess(1, code=-2, ended=9.0, raised=interrupted, exits=8.0)
    worker = TrainingProcess(2, 1, "", "fork", code=1, ended=0.9, raised=error, exits=0.8)
    waits = Wait(1, "", "read", PIPE, READS, (1,), True)
    still = Standstill(5.0, (waits,)) if is_still else None
    return watched_view(Training((), 1, -2, 9.0, (trainer, worker), standstill=still))


_UNPACKED = Raised("TypeError", "cannot unpack None", Location("/train.py", 61, "ask"), at=5.0)


def _ended_training(trainer: TrainingProcess, closed: int = 0) -> Training:
    arm = replace(_RAISED, pid=1, closed=closed)
    return Training((), 1, trainer.code or 0, 9.0, (trainer,), (arm,))


_GONE = Location("/record.py", 62, "close")
_AFTER_CLOSE = Raised("AttributeError", "advance", Location("/arm.py", 41, "step"), "step")


def _used_after_close() -> View:
    """A script that ends by what step() of an instance raised that something else had closed."""
    error = replace(_AFTER_CLOSE, closed_at=_GONE)
    arm = replace(_RAISED, pid=1, closed=1, error=error)
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=_AFTER_CLOSE, exits=8.9)
    return watched_view(Training((), 1, 1, 9.0, (trainer,), (arm,)))


def _unfollowed(raised: Raised, *own: Instances) -> View:
    return watched_view(Training((), 1, 1, 0.4, (TrainingProcess(1, code=1, raised=raised),), own))


_UNMADE, _AT_MOVE = Instances(1, 1, "arm.Arm", unmade=1), Location("/train.py", 30, "move")
_OVER = Raised("ValueError", "the game is over", _AT_MOVE, "step", unfollowed="Hanabi")
_OF_LOOP = Raised("RuntimeError", "attached to a different loop", _AT_MOVE, called_at=_GONE)

EXAMPLES = (
    Example(
        "an environment that inherits from nothing",
        _unfollowed(_OVER),
        "the training ended by ValueError: the game is over (train.py:30 in move) in step()"
        " of Hanabi; it inherits from no class of a library that is followed, so no more is"
        " known of it",
    ),
    Example("a script without an environment", _unfollowed(replace(_OVER, unfollowed=""))),
    Example(
        "a lock of the event loop of an earlier asyncio.run(), without an environment",
        _unfollowed(_OF_LOOP),
        "the training ended by RuntimeError: attached to a different loop (train.py:30 in"
        " move): it belongs to an earlier event loop, and another one runs at record.py:62"
        " in close",
    ),
    Example("its constructor calls reset()", _unfollowed(_OVER, _UNMADE)),
    Example(
        "a recorder closes what it records",
        _used_after_close(),
        "the training ended by AttributeError: advance (arm.py:41 in step) after step() of"
        " Arm, which was closed before (record.py:62 in close), raised, after 41 steps",
    ),
    Example(
        "a simulator that crashes",
        _example(-11),
        "a worker was killed by SIGSEGV in step() of Arm, after 41 steps",
    ),
    Example(
        "os._exit()",
        _example(3),
        "a worker ended with exit code 3 in step() of Arm, after 41 steps",
    ),
    Example(
        "its parent asked first how it ended",
        _example(None),
        "a worker ended, it is not known how, in step() of Arm, after 41 steps",
    ),
    Example(
        "it raised, and its parent asked first how it ended",
        _example(None, arm=_RAISED),
        "a worker ended, it is not known how, after a call of Arm raised, after 41 steps",
    ),
    Example(
        "a simulator that crashes at the end of a short training",
        _example(-11, ended=8.9),
        "a worker was killed by SIGSEGV in step() of Arm, after 41 steps",
    ),
    Example(
        "killed a moment before the training ended",
        _example(-9, ended=8.9),
        "a worker was killed by SIGKILL in step() of Arm, after 41 steps",
    ),
    Example(
        "a constructor that raises in a worker, for whose answer the trainer waits",
        _example(
            None,
            arm=Instances(2, 1, "arm.Arm", _AT, unmade=1, make=Calls(1, 1)),
            raised=Raised("RuntimeError", "no renderer", Location("/arm.py", 22, "__init__")),
            still=Standstill(20.0, (Wait(1, "", "read", PIPE, READS, (1,), True),)),
        ),
        "a worker ended by RuntimeError: no renderer (arm.py:22 in __init__) after the"
        " constructor of Arm raised, after 0 steps; nothing in the training ran after that,"
        " and the trainer waits for it",
    ),
    Example(
        "a reset() that raises in a worker, for whose answer a training waits up to a limit",
        _example(1, 1.0, _RAISED, _ERROR, Standstill(20.0), _EOF),
        "a worker ended by RuntimeError: lost (arm.py:22 in step) after a call of Arm"
        " raised, after 41 steps; nothing in the training ran after that, until it ended by"
        " EOFError (train.py:61 in ask)",
    ),
    Example(
        "the trainer's own code crashes, and an instance that read the spaces is closed",
        watched_view(
            Training(
                (),
                1,
                -8,
                9.0,
                (TrainingProcess(1, code=-8, ended=9.0), TrainingProcess(2, 1, code=1, ended=9.0)),
                (replace(_ARM, pid=1, step=Calls(), closed=1), replace(_ARM, step=Calls(40, 40))),
            )
        ),
        "the trainer's process was killed by SIGFPE outside of any call of an environment,"
        " after 40 steps",
    ),
    Example(
        "a call that raises ends the script",
        watched_view(_ended_training(TrainingProcess(1, code=1, ended=9.0, raised=_ERROR))),
        "the training ended by RuntimeError: lost (arm.py:22 in step) after a call of Arm"
        " raised, after 41 steps",
    ),
    Example(
        "a call that raises ends a thread",
        watched_view(_ended_training(TrainingProcess(1, code=0, ended=9.0, thread_raised=_ERROR))),
        "a thread of the training ended by RuntimeError: lost (arm.py:22 in step) after a"
        " call of Arm raised, after 41 steps",
    ),
    Example(
        "a thread that goes on for a moment after close()",
        watched_view(_ended_training(TrainingProcess(1, code=0, thread_raised=_ERROR), closed=1)),
    ),
    Example(
        "a worker that cannot send what it was asked for",
        _between(_PICKLE, _EOF),
        "a worker ended by AttributeError: Can't pickle a lambda (train.py:41 in work)"
        " outside of any call of Arm, after 41 steps",
    ),
    Example(
        "a worker that ended so, and the training ends well",
        _between(_PICKLE, None),
        "a worker ended by AttributeError: Can't pickle a lambda (train.py:41 in work)"
        " outside of any call of Arm, after 41 steps",
    ),
    Example("it raised after its environment was closed", _between(_PICKLE, None, closed=1)),
    Example("its trainer closed the pipe", _between(Raised("EOFError"), None)),
    Example(
        "a vectorizer that is used after it was closed",
        _asked(_CLOSED, replace(_OPEN, closed=1)),
        "the training ended by EOFError (train.py:61 in ask), after 41 steps: its 1 worker"
        " had ended before, after their environments were closed",
    ),
    Example(
        "a pipe to something else is closed, and workers close their environments after that",
        _asked(replace(_CLOSED, exits=5.3, ended=5.4), replace(_OPEN, closed=1)),
        "the training ended by EOFError (train.py:61 in ask), after 41 steps",
    ),
    Example(
        "a call raises in a worker that lives on",
        _asked(_WORKER, replace(_RAISED, error=replace(_ERROR, method="step")), _UNPACKED),
        "the training ended by TypeError: cannot unpack None (train.py:61 in ask) after"
        " step() of Arm raised RuntimeError: lost (arm.py:22 in step) in a worker, after 41"
        " steps",
    ),
    Example(
        "such a call, in a worker that was ended before",
        _asked(
            replace(_WORKER, ended=2.0),
            replace(_RAISED, error=replace(_ERROR, method="step")),
            _UNPACKED,
        ),
        "the training ended by TypeError: cannot unpack None (train.py:61 in ask), after 41 steps",
    ),
    Example(
        "an id that workers do not know, which the trainer registered",
        _empty(_NO_ID, _RESET, replace(_OPEN, pid=1)),
        "2 workers ended by gymnasium.error.NameNotFound: `Walker` (train.py:39 in make),"
        " and no environment that can be followed was made in them; after that the training"
        " ended by ConnectionResetError (train.py:48 in main)",
    ),
    Example(
        "an environment that cannot be followed has no close()",
        _empty(_NO_CLOSE, None),
        "2 workers ended by AttributeError: no attribute 'close' (train.py:49 in work), and"
        " no environment that can be followed was made in them",
    ),
    Example(
        "workers import a script without a guard, and make one for the spaces",
        _empty(_TWICE, _RESET, replace(_ARM, closed=1, step=Calls())),
        "2 workers ended by RuntimeError (train.py:5 in <module>): they were spawned, and"
        " import the script, which would start workers there again: it has no"
        ' `if __name__ == "__main__":`; after that the training ended by'
        " ConnectionResetError (train.py:48 in main)",
    ),
    Example(
        "a worker imports a script without a guard, and the trainer waits until Ctrl-C",
        _stopped(_TWICE),
        "a worker ended by RuntimeError (train.py:5 in <module>): it was spawned, and"
        " imports the script, which would start workers there again: it has no"
        ' `if __name__ == "__main__":`',
    ),
    Example("the same, of a training that runs until Ctrl-C", _stopped(_TWICE, is_still=False)),
    Example(
        "empty ones in a training that ends well", _empty(_NO_CLOSE, None, replace(_OPEN, pid=1))
    ),
    Example(
        "such workers end after the trainer's code",
        _empty(_NO_CLOSE, _RESET, replace(_OPEN, pid=1), exits=6.0),
        "the training ended by ConnectionResetError (train.py:48 in main), after 41 steps",
    ),
    Example(
        "instances in place of functions",
        _asked(
            _WORKER,
            _OPEN,
            Raised("TypeError", "cannot pickle 'socket' object"),
            handed=Handed("SubprocVecEnv", "Arm", 2, "TypeError", "cannot pickle 'socket' object"),
        ),
        "the training ended by TypeError: cannot pickle 'socket' object, after 41 steps: 2"
        " instances of Arm were handed to SubprocVecEnv, which takes functions that make"
        " them",
    ),
    Example(
        "such a vectorizer was given up, and something else ended the script",
        _asked(
            _WORKER,
            _OPEN,
            Raised("KeyError", "'loss'"),
            handed=Handed("SubprocVecEnv", "Arm", 2, "TypeError", "cannot pickle"),
        ),
        "the training ended by KeyError: 'loss', after 41 steps",
    ),
    Example(
        "Ctrl-C",
        watched_view(
            _ended_training(TrainingProcess(1, code=1, raised=Raised("KeyboardInterrupt")))
        ),
    ),
    Example("ended by its vectorizer", _example(-15)),
    Example("a simulator that inherited the page by fork", _example(-9, arm=_INHERITED)),
    Example(
        "a worker that became another Python by exec",
        watched_view(
            Training(
                (),
                1,
                1,
                9.0,
                (TrainingProcess(1), TrainingProcess(2, 1, ended=1.0), TrainingProcess(2, 1)),
                (_ARM,),
            )
        ),
    ),
    Example("ended with the trainer", _example(1, ended=9.0)),
    Example("it raised, was reset, and was ended in the end", _example(1, 1.0, _RECOVERED)),
)
