"""How processes of a watched training died that hold environments, or may have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from envdoctor.model.training import ASKED, Instances, Process, Raised, Training
from envdoctor.rules.evidence.training import not_made, of, signal_name

KILL = 9
#: Signals that a process gets for what it does: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
CRASHES = (4, 5, 6, 7, 8, 11)

AFTERWARDS = 5.0  # seconds that the parts of a training take to end that was interrupted
MOMENT = 0.2  # seconds: what ends so shortly before its parent ends because of it


@dataclass(frozen=True)
class Death:
    """The end of a process that was not asked for. `own` are the instances in it, `busy` the one
    in whose call it ended, `raised` the one of which a call, or the constructor, raised last.
    `unknown`: it may be the doing of its parent. `outside` says that it is the trainer's process,
    which ended in no call of an environment, after so many `steps` in all processes.
    """

    process: Process
    own: tuple[Instances, ...]
    busy: Instances | None
    raised: Instances | None
    unknown: bool
    outside: bool = False
    steps: int = 0

    @property
    def first(self) -> Instances | None:
        """The instance that it is most about."""
        return self.busy or self.raised or next(iter(self.own), None)

    @property
    def method(self) -> str:
        """The method that it ended in, or nothing."""
        return self.busy.running if self.busy else ""

    @property
    def sentence(self) -> str:
        """`was killed by SIGSEGV in step() of Arm, after 41 steps`."""
        return f"{_how(self.process)}{self._where}, after {of(self.steps, 'step')}"

    @property
    def _where(self) -> str:
        if self.outside:
            return " outside of any call of an environment"
        name = self.first.class_name if self.first else ""
        if self.busy:
            return f" in {self.method}() of {name}"
        if self.raised:
            call = "the constructor" if self.raised.is_unmade else "a call"
            return f" after {call} of {name} raised"
        return ""


def deaths(training: Training) -> Iterator[Death]:
    """Those of a training, so far."""
    for process in training.processes:
        if process.ended is None or process is not training.process(process.pid):
            continue  # it runs, or it became another Python by exec
        own = tuple(one for one in training.instances if one.pid == process.pid and one.is_used)
        busy = next((one for one in own if one.running), None)
        raised = next((one for one in own if one.stopped), None)
        if raised is None and process.raised is not None:
            raised = next((one for one in own if one.is_unmade), None)
        suspect = bool(busy or raised)
        unknown = suspect and _is_unknown(training, process, busy is not None)
        trainer = process.pid == training.pid
        if (own or trainer) and (unknown or _is_own_death(training, process, suspect)):
            outside = trainer and not suspect
            counted = training.instances if outside else own
            steps = sum(one.step.began for one in counted)
            yield Death(process, own, busy, raised, unknown, outside, steps)


@dataclass(frozen=True)
class Ending:
    """An exception that ended the script, or a thread of a process, and the instance of which a
    call raised last in that process, if one did.
    """

    process: Process
    error: Raised
    instance: Instances | None
    is_thread: bool
    steps: int


def endings(training: Training) -> Iterator[Ending]:
    """Exceptions that ended a thread after a call of an environment that is open had raised, and
    the one that ended the script.
    """
    for process in training.processes:
        own = [one for one in training.instances if one.pid == process.pid and one.is_used]
        stopped = [one for one in own if one.stopped]
        steps = sum(one.step.began for one in own)
        hung = [one for one in stopped if not one.closed]
        if process.thread_raised is not None and hung and process.raised is None:
            yield Ending(process, process.thread_raised, hung[0], True, steps)
        if process.pid == training.pid and training.exception and not not_made(training):
            first = next(iter(stopped), None)
            yield Ending(process, training.exception, first, False, steps)


def _is_unknown(training: Training, process: Process, busy: bool) -> bool:
    """Whether a process ended before its parent did, and how or why is not known; one that hung
    was ended, and one that was not `busy` may be killed where it waits for its next call.
    """
    if any(call.pid == process.pid for call in training.long_calls):
        return False
    if process.code is None:
        own = process.raised is None and _is_before(training, process)
        return own and not _is_interrupted(training, process)
    killed = busy and process.code == -KILL and process.pid != training.pid
    return killed and _is_before(training, process) and not _is_alone(training, process)


def _is_interrupted(training: Training, process: Process) -> bool:
    """Return whether the training was interrupted, as Ctrl-C does, and a process ended shortly
    before.
    """
    parent = training.process(process.parent)
    if training.code not in ASKED or parent is None:
        return False
    if parent.ended is None or process.ended is None:
        return False
    return process.ended > parent.ended - AFTERWARDS


def _how(process: Process) -> str:
    if process.raised is not None:
        return f"ended by {process.raised.sentence}"
    if process.code is None:
        return "ended, it is not known how,"
    return signal_name(process.code) or f"ended with exit code {process.code}"


def _is_own_death(training: Training, process: Process, suspect: bool) -> bool:
    """Whether a process did not end because it was asked to, or because its parent ended."""
    code = 1 if process.code is None and process.raised is not None else process.code
    if code is None or code == 0 or code in ASKED:
        return False
    if process.pid == training.pid:
        return code < 0
    alone = _is_alone(training, process)
    # Where the training was interrupted, its workers may raise because of that.
    raised = process.raised is not None and training.code not in ASKED
    known = -code in CRASHES or raised
    crashed = known and suspect and _is_before(training, process)
    return crashed or (code < 0 and alone) or (suspect and (alone or code > 1))


def _is_alone(training: Training, process: Process) -> bool:
    """Whether the parent of a process was there for a while after it had ended."""
    parent = training.process(process.parent)
    if parent is None or parent.ended is None:
        return True
    return process.ended is not None and process.ended < parent.ended - MOMENT


def _is_before(training: Training, process: Process) -> bool:
    """Whether a process was seen to end before its parent."""
    parent = training.process(process.parent)
    if parent is None or parent.ended is None:
        return True
    return process.ended is not None and process.ended < parent.ended
