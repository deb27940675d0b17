"""Deaths of processes of a watched training that hold environments, or may have held some."""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.errors import BOOTSTRAPPING
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.training import ASKED, FORK, INTERRUPT, Handed, Training, TrainingProcess
from envdoctor.model.training_errors import CALLER
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.run_on import left_over
from envdoctor.rules.evidence.stacks import Stack, innermost_own, is_installed, parse_stacks
from envdoctor.rules.evidence.training import not_made, of, signal_name

KILL = 9
MODULE, METHOD_AGAIN = "<module>", "context has already been set"  # by set_start_method()
CALLS = ("reset", "step")
SEND = "send"  # an exception of what was to go to another process
TEXT = "text"  # one whose text has the traceback of another one
#: Signals that a process gets for what it does: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
CRASHES = (4, 5, 6, 7, 8, 11)

#: What a process raises because another one has ended or has closed its pipe, or a server is gone.
GONE = (
    "EOFError",
    "OSError",
    "BrokenPipeError",
    "ConnectionResetError",
    "ConnectionRefusedError",
    "ConnectionAbortedError",
    "FileNotFoundError",
)
CONNECTION = "multiprocessing.connection"
#: Python's words for a lock, or a future, of an event loop which is not the one that runs.
OTHER_LOOP = re.compile(r"(bound|attached) to a different (event )?loop")

AFTERWARDS = 5.0  # seconds that the parts of a training take to end that was interrupted
MOMENT = 0.2  # seconds: what ends so shortly before its parent ends because of it


@dataclass(frozen=True)
class TrainingDeath:
    """The end of a process that was not asked for. `own` are the instances in it, `busy` the one
    in whose call it ended, `raised` the one of which a call, or the constructor, raised last.
    `unknown`: it may be the doing of its parent. `outside` says that it is the trainer's process,
    which ended in no call of an environment, after so many `steps` in all processes.
    """

    process: TrainingProcess
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
    def error(self) -> Raised | None:
        """The exception that ended the process, or that a call of its environment raised before."""
        return self.process.raised or (self.raised.error if self.raised is not None else None)

    @property
    def method(self) -> str:
        """The method that it ended in, or nothing."""
        return self.busy.running if self.busy else ""

    @property
    def sentence(self) -> str:
        """`was killed by SIGSEGV in step() of Arm, after 41 steps`."""
        line, after = crash_line(self.process), f", after {of(self.steps, 'step')}"
        at = f" ({short(line.file)}:{line.line} in {line.function})" if line is not None else ""
        beside = f", while another thread was in {self.beside}(), too" if self.beside else ""
        return f"{_how(self.process)}{at}{self._where}{after}{beside}"

    @property
    def beside(self) -> str:
        """The call of its environments that another thread was in as well when it crashed."""
        current, *others = [*map(_calls_in, parse_stacks(self.process.crash))] or [set()]
        shared = current & set().union(*others)
        return min((function for _, function in shared), default="")

    @property
    def _where(self) -> str:
        if self.is_at_exit:
            return " at its exit, when its script was done"
        if self.outside:
            return " outside of any call of an environment"
        name = self.first.class_name if self.first else ""
        if self.busy:
            return f" in {self.method}() of {name}{self._before_fork}"
        if self.raised:
            return (
                f" after {what_raised(self.raised, without_error=self.process.raised is not None)}"
            )
        return f" outside of any call of {name}" if self.is_between else ""

    @property
    def is_forked_copy(self) -> bool:
        """True if a crash is in a call of an instance that was made before the fork."""
        is_crash = self.process.code is not None and -self.process.code in CRASHES
        return is_crash and self.busy is not None and self.busy.is_forked_copy

    @property
    def _before_fork(self) -> str:
        place = self.busy.location if self.busy is not None and self.is_forked_copy else None
        if place is None:
            return ""
        return f", which was made at {short(place.file)}:{place.line} before the fork"

    @property
    def is_at_exit(self) -> bool:
        """True if a signal ended the trainer's process after the last line of its script."""
        ended = self.process.exits is not None and self.process.raised is None
        return self.outside and ended

    @property
    def is_between(self) -> bool:
        """True if an exception ended a worker that was in no call of its environments."""
        return self.process.raised is not None and not self.outside and not self.raised


def crash_line(process: TrainingProcess) -> Location | None:
    """The user's line in which a process crashed, where its stacks have one."""
    stacks = parse_stacks(process.crash)
    return innermost_own(stacks[0]) if stacks else None


def _calls_in(stack: Stack) -> set[tuple[str, str]]:
    """The calls of environments that a thread is in, by their files."""
    own = {each.file for each in stack if not is_installed(each.file)}
    calls = ((each.file, each.function.rpartition(".")[2]) for each in stack if each.file in own)
    return {call for call in calls if call[1] in CALLS}


def what_raised(instances: Instances, without_error: bool = False) -> str:
    """`step() of Arm raised RuntimeError: lost (arm.py:22 in step)`; without the exception where it
    is `told` already.
    """
    if instances.is_unmade:
        call = "the constructor"
    elif instances.error is not None:
        call = f"{instances.error.method}()"
    else:
        call = "a call"
    error = (
        f" {instances.error.sentence}" if instances.error is not None and not without_error else ""
    )
    return f"{call} of {instances.class_name}{_state_of(instances)} raised{error}"


def closed_before(instances: Instances | None) -> Location | None:
    """The line that had closed the instance of which a call raised."""
    error = instances.error if instances is not None else None
    return error.closed_at if error is not None else None


def failed_before(instances: Instances | None) -> Raised | None:
    """The exception of the call right before a close() that raised, too."""
    return instances.earlier if instances is not None and instances.made == 1 else None


def _state_of(instances: Instances) -> str:
    place, earlier = closed_before(instances), failed_before(instances)
    if earlier is not None:
        return f", whose {earlier.method}() had raised {earlier.sentence} before,"
    over = left_over(instances)
    if place is None and over is not None and over.location is not None:
        line = f"{short(over.location.file)}:{over.location.line}"
        ways = " and ".join(over.by)
        return f", which had returned {ways} and was not reset before {line} called it again,"
    if place is None:
        return ", which was never reset," * is_never_reset(instances)
    return f", which was closed before ({short(place.file)}:{place.line} in {place.function}),"


def is_never_reset(instances: Instances | None) -> bool:
    """Return whether step() raised of instances that nothing had reset, each time."""
    if instances is None or instances.error is None or instances.error.method != "step":
        return False
    return not instances.reset.began and instances.step.ended <= instances.raised


def deaths(training: Training) -> Iterator[TrainingDeath]:
    """Those of a training, so far."""
    for process in training.processes:
        if process.ended is None or process is not training.process(process.pid):
            continue  # it runs, or it became another Python by exec
        if process.terminated is not None:
            continue
        own = tuple(
            instance
            for instance in training.instances
            if instance.pid == process.pid and instance.is_used
        )
        busy = next((instances for instances in own if instances.running), None)
        raised = next((instances for instances in own if instances.stopped), None)
        if raised is None and process.raised is not None:
            raised = next((instances for instances in own if instances.is_unmade), None)
        suspect = bool(busy or raised) or _is_between(training, process, own)
        unknown = suspect and _is_unknown(training, process, busy is not None)
        trainer = process.pid == training.pid
        if (own or trainer) and (unknown or _is_own_death(training, process, suspect)):
            outside = trainer and not suspect
            counted = training.instances if outside else own
            steps = sum(instances.step.began for instances in counted)
            yield TrainingDeath(process, own, busy, raised, unknown, outside, steps)


@dataclass(frozen=True)
class Ending:
    """An exception that ended the script, or a thread of a process, and the instance of which a
    call raised last in that process, if one did; else in a worker that lived on. So many workers
    had `closed` their environments, and ended well, before the script asked them. `unfollowed` is
    the class whose reset() or step() raised, where no environment is known; `wrapper` is that class
    where one is known, and no call of it raised. `forked` says that each worker of the script was.
    `handed` are instances that were handed to a vectorizer, which raised that.
    """

    process: TrainingProcess
    error: Raised
    instance: Instances | None
    is_thread: bool
    steps: int
    closed: int = 0
    handed: Handed | None = None
    unfollowed: str = ""
    wrapper: str = ""
    forked: bool = False


def endings(training: Training) -> Iterator[Ending]:
    """Exceptions that ended a thread after a call of an environment that is open had raised, and
    the one that ended the script.
    """
    for process in training.processes:
        own = [
            instance
            for instance in training.instances
            if instance.pid == process.pid and instance.is_used
        ]
        stopped = [instances for instances in own if instances.stopped]
        steps = sum(instances.step.began for instances in own)
        hung = [each for each in stopped if not (each.closed or _by_ctrl_c(each))]
        if process.thread_raised is not None and hung and process.raised is None:
            yield Ending(process, process.thread_raised, hung[0], True, steps)
        error = training.exception
        if process.pid != training.pid or error is None:
            continue
        is_known = bool(training.instances or training.failed)
        named = "" if error.method == SEND else error.unfollowed
        unfollowed = "" if is_known else named
        has_detail = error.detail is not None and error.detail.kind != CALLER
        is_known_cause = has_detail or error.method == SEND or OTHER_LOOP.search(error.message)
        if unfollowed or is_known_cause or not not_made(training):
            first = next(iter(stopped), None) or _in_worker(training)
            steps = steps or sum(instance.step.began for instance in training.instances)
            closed = _closed_before(training)
            handed = _handed(process)
            wrapper = named if is_known and first is None else ""
            names = (unfollowed, wrapper, _forks(training))
            yield Ending(process, error, first, False, steps, closed, handed, *names)


def _by_ctrl_c(instances: Instances) -> bool:
    """Return whether what a call raised last was Ctrl-C, which no thread causes."""
    return instances.error is not None and instances.error.type == INTERRUPT


def _forks(training: Training) -> bool:
    """Return whether the trainer started workers, each of them by fork."""
    workers = [each for each in training.processes if each.parent == training.pid]
    return bool(workers) and all(each.started == FORK for each in workers)


@dataclass(frozen=True)
class EmptyWorkers:
    """Workers in which no environment is known, so many, and the exception that ended each of them.
    `fatal` is what the trainer raised after that, where their pipes were closed to it.
    """

    first: TrainingProcess
    error: Raised
    number: int
    fatal: Raised | None


def empty_workers(training: Training) -> Iterator[EmptyWorkers]:
    """Those that an exception ended before the trainer's own code had ended, by the exception:
    where the trainer failed of it, stands still, or where no environment is known in any process.
    A training that stands still is ended by Ctrl-C because of that.
    """
    trainer = training.process(training.pid)
    asked = training.code in ASKED and training.standstill is None
    if trainer is None or asked or training.attached:
        return
    used = {instance.pid for instance in training.instances if instance.is_used}
    groups: dict[tuple[str, Location | None], list[TrainingProcess]] = {}
    for process in training.processes:
        error = process.raised
        if error is None or error.type in GONE or error.type == INTERRUPT:
            continue
        if process.pid in used and not imports_again(error):  # closed before, for spaces
            continue
        if process is trainer or not process.is_worker or not _is_earlier(process, trainer):
            continue
        groups.setdefault((error.type, error.location), []).append(process)
    for processes in groups.values():
        first = processes[0]
        fatal = _failed_of(training, first)
        if first.raised and (fatal or training.standstill is not None or not_made(training)):
            yield EmptyWorkers(first, first.raised, len(processes), fatal)


def imports_again(error: Raised) -> bool:
    """Return whether a worker's import of the script began the script's work again: such a worker
    was not forked, and ended at a line of the script's own module.
    """
    place = error.location
    is_module = place is not None and place.function == MODULE
    return BOOTSTRAPPING in error.message or (is_module and METHOD_AGAIN in error.message)


def _is_earlier(process: TrainingProcess, trainer: TrainingProcess) -> bool:
    """Return whether the code of a worker had ended before the trainer's."""
    return process.exits is not None and (trainer.exits is None or process.exits < trainer.exits)


def _failed_of(training: Training, worker: TrainingProcess) -> Raised | None:
    """Return the error that ended the script after a worker had ended, if a pipe to a process
    raised it.
    """
    error = training.exception
    if error is None or error.type not in GONE or error.within != CONNECTION:
        return None
    return error if worker.exits is not None and worker.exits < error.at else None


def _raised_alike(training: Training) -> Instances | None:
    """The first instance in a worker of which the last call raised what ended the script: a
    vectorizer sends it there, and raises it again.
    """
    fatal = training.exception
    for instance in training.instances:
        error = instance.error if instance.stopped and instance.pid != training.pid else None
        if fatal is None or error is None:
            continue
        if (error.type, error.message) == (fatal.type, fatal.message):
            return instance
    return None


def _in_worker(training: Training) -> Instances | None:
    """An instance of which a call raised what ended the script; else one that is open in a worker
    that lived as long as the trainer, which was not called any more after one of its calls raised.
    """
    if (same := _raised_alike(training)) is not None:
        return same
    trainer = training.process(training.pid)
    for instance in training.instances:
        process = training.process(instance.pid)
        if (
            instance.pid == training.pid
            or instance.closed
            or not instance.stopped
            or instance.error is None
        ):
            continue
        if process is None or trainer is None or trainer.exits is None or process.raised:
            continue
        if process.ended is None or process.ended > trainer.exits:
            return instance
    return None


def _closed_before(training: Training) -> int:
    """The number of workers that had closed their environments and ended well, before a pipe to a
    worker raised in the script: all of them, or 0 where that is not known of one.
    """
    error = training.exception
    if error is None or error.type not in GONE or error.within != CONNECTION:
        return 0
    used = {instance.pid for instance in training.instances if instance.is_used} - {training.pid}
    workers = [process for process in training.processes if process.pid in used]
    started = [process for process in training.processes if process.started == FORK]
    ended = [
        process for process in {*workers, *started} if _ended_well(training, process, error.at)
    ]
    return len(workers) if len(ended) == len({*workers, *started}) else 0


def _ended_well(training: Training, process: TrainingProcess, before: float) -> bool:
    own = [
        instance
        for instance in training.instances
        if instance.pid == process.pid and instance.is_used
    ]
    closed = bool(own) and not any(instances.unclosed for instances in own)
    is_over = process.exits is not None and process.exits < before
    return closed and is_over and process.raised is None and not process.code


def _handed(process: TrainingProcess) -> Handed | None:
    """Instances that were handed to a vectorizer, which raised what ended the script."""
    handed, error = process.handed, process.raised
    if handed is None or error is None:
        return None
    return handed if (handed.type, handed.message) == (error.type, error.message) else None


def _is_between(training: Training, process: TrainingProcess, own: tuple[Instances, ...]) -> bool:
    """Return whether an exception ended a worker between two calls of an environment that is open,
    before the trainer's own code had ended: what it may raise because of that is left out.
    """
    error, trainer = process.raised, training.process(training.pid)
    if error is None or process.pid == training.pid or error.type in GONE:
        return False
    if process.exits is None or trainer is None:
        return False
    is_before = trainer.exits is None or process.exits < trainer.exits
    # A worker that gives back what it has where it ends has closed it, too.
    is_fatal = _failed_of(training, process) is not None and not imports_again(error)
    return is_before and (is_fatal or any(instances.unclosed for instances in own))


def _is_unknown(training: Training, process: TrainingProcess, busy: bool) -> bool:
    """Return True if a process ended before its parent did, for an unknown reason. One that hung
    was ended, and one that was not `busy` may be killed where it waits for its next call.
    """
    if any(call.pid == process.pid for call in training.long_calls):
        return False
    if process.code is None:
        own = process.raised is None and _is_before(training, process)
        return own and not _is_interrupted(training, process)
    killed = busy and process.code == -KILL and process.pid != training.pid
    return killed and _is_before(training, process) and not _is_alone(training, process)


def _is_interrupted(training: Training, process: TrainingProcess) -> bool:
    """Return whether the training was interrupted, as Ctrl-C does, and a process ended shortly
    before.
    """
    parent = training.process(process.parent)
    if training.code not in ASKED or parent is None:
        return False
    if parent.ended is None or process.ended is None:
        return False
    return process.ended > parent.ended - AFTERWARDS


def _how(process: TrainingProcess) -> str:
    if process.raised is not None:
        return f"ended by {process.raised.sentence}"
    if process.code is None:
        return "ended, it is not known how,"
    return signal_name(process.code) or f"ended with exit code {process.code}"


def _is_own_death(training: Training, process: TrainingProcess, suspect: bool) -> bool:
    """Return True if a process did not end on request, or because its parent ended."""
    was_over = process.code in ASKED and _is_first(training, process)
    code = 1 if was_over or (process.code is None and process.raised) else process.code
    if code is None or code == 0 or code in ASKED:
        return False
    if process.pid == training.pid:
        return code < 0
    if process.woken:
        return False
    alone = _is_alone(training, process)
    # Where the training was interrupted, its workers may raise because of that.
    raised = process.raised is not None and training.code not in ASKED
    known = -code in CRASHES or raised
    crashed = known and suspect and _is_before(training, process)
    return crashed or (code < 0 and alone) or (suspect and (alone or code > 1))


def _is_first(training: Training, process: TrainingProcess) -> bool:
    """Return whether a worker was the first that an exception ended, of which the trainer failed.
    Python takes a while to end: it may be asked to when its own code has ended already. What others
    raise after it may follow from the end of the trainer.
    """
    workers = (each for each in training.processes if each.raised and each.pid != training.pid)
    ends = [each.exits for each in workers if each.exits is not None]
    is_first = process.raised is not None and process.exits == min(ends, default=-1.0)
    return is_first and _failed_of(training, process) is not None


def _is_alone(training: Training, process: TrainingProcess) -> bool:
    """Return True if the parent of a process was there for a while after it had ended."""
    parent = training.process(process.parent)
    if parent is None or parent.ended is None:
        return True
    return process.ended is not None and process.ended < parent.ended - MOMENT


def _is_before(training: Training, process: TrainingProcess) -> bool:
    """Return True if a process was seen to end before its parent."""
    parent = training.process(process.parent)
    if parent is None or parent.ended is None:
        return True
    return process.ended is not None and process.ended < parent.ended


def is_minor(training: Training, death: TrainingDeath) -> bool:
    """Return whether a death is a note: it may be wanted, or the trainer did not fail of it."""
    is_alone = death.busy is None and death.raised is None and death.is_between
    error = training.exception
    is_fatal = training.standstill is not None or (error is not None and error.type in GONE)
    may_be_asked = death.outside and death.process.code == -KILL  # or memory ran out
    return death.unknown or may_be_asked or (is_alone and not is_fatal)


def is_by_environment(death: TrainingDeath) -> bool:
    """Return whether a process died of an environment: in a call, or in a constructor."""
    unmade = death.raised is not None and death.raised.is_unmade
    return not death.unknown and (death.busy is not None or unmade)
