"""A training as `watch` saw it: its processes, and the instances in them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Dict, Mapping, Optional, Tuple

from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.trace import Trace
from envdoctor.model.training_calls import GivenUpJob, HeldLock, LongCall, LostThread, Waker
from envdoctor.model.training_ends import EpisodeLoop, GivenUp, Polling, Termination
from envdoctor.model.training_files import SegmentUse, TemporaryFiles, WrittenFile
from envdoctor.model.training_growth import ChildSeries, Control, Series
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.model.training_returned import AliasedArray, CountGoesOn, Overwritten, UnreturnedKey
from envdoctor.model.training_settings import Evaluation, Setting
from envdoctor.model.training_visits import Alive
from envdoctor.model.waits import Wait

#: The name of the scenario that a training is, and of the fact that holds it.
WATCH, TRAINING = "watch", "training"
#: Kinds of sites, as the journal names them: of vectorizers of libraries, of classes of the user's
#: that start processes in which environments are made, of threads, and of processes.
VECTORIZER, OWN_VECTORIZER = "vectorizer", "own-vectorizer"
THREAD, PROCESS = "thread", "process"

#: How an exit code of a worker that was asked to end looks, besides 0: SIGHUP, SIGINT, SIGTERM.
ASKED = (-1, -2, -15)
INTERRUPT = "KeyboardInterrupt"
#: How a worker was started, and what the command of one that multiprocessing spawned contains.
FORK = "fork"
SPAWNED = ("multiprocessing.spawn import spawn_main", "--multiprocessing-fork")


@dataclass(frozen=True)
class Handed:
    """Instances of a class that were handed to a vectorizer, which could not be made: it raised."""

    vectorizer: str
    instance: str
    number: int
    type: str = ""
    message: str = ""


@dataclass(frozen=True)
class TrainingProcess:
    """One Python of the training's tree. `started` is "exec" or "fork". `code` is how it ended
    (negative: the signal), None where that is not known; it `began` and `ended` so many seconds
    after the training did, and `ended` is None while it ran; its own code had ended at `exits`,
    where that is known. `unfollowed` births have no row. An exception that it `raised` ended it;
    one that `thread_raised` ended a thread of it. `handed` are instances that were handed to the
    last vectorizer that could not be made. Another process `asked` it to end. Of one that was
    forked, `lost_threads` are those that its parent had besides, and `lost_native` how many of
    those without Python. The `location` is the user's line that started it, of one that ran on
    after the training. Exceptions that were `ignored` nothing could catch: Python printed them, of
    a handler of atexit, a `__del__` or a task (their `method`). A worker that KeyboardInterrupt
    ended is `woken`: all processes of a terminal get Ctrl-C. In one that is `seeded`, numpy's
    global generator was given a seed; `seeded_python` says whether that of Python was, None where
    that is not known. A line made a generator of a number that it calls a seed (`own_seed`).
    `crash` has the stacks of one that a signal ended, as faulthandler writes
    them. It waited for so many `messages`.
    """

    pid: int
    parent: int = 0
    command: str = ""
    started: str = "exec"
    python: str = ""
    code: Optional[int] = None
    ended: Optional[float] = None
    unfollowed: int = 0
    raised: Optional[Raised] = None
    thread_raised: Optional[Raised] = None
    exits: Optional[float] = None
    handed: Optional[Handed] = None
    lost_threads: Tuple[LostThread, ...] = ()
    asked: Optional[Termination] = None
    began: float = 0.0
    location: Optional[Location] = None
    lost_native: int = 0
    ignored: Tuple[Raised, ...] = ()
    woken: bool = False
    seeded: bool = False
    crash: str = ""
    messages: int = 0
    seeded_python: Optional[bool] = None
    own_seed: Optional[Location] = None

    @property
    def is_worker(self) -> bool:
        """True if multiprocessing started it, or its parent forked."""
        return self.started == FORK or any(name in self.command for name in SPAWNED)

    @property
    def terminated(self) -> Optional[Termination]:
        """The request that ended it; nothing where it ended by itself, or by something else."""
        asked = self.asked
        if asked is None or self.ended is None or self.exits is not None or self.raised is not None:
            return None
        return asked if self.code in (None, -asked.signal) else None


@dataclass(frozen=True)
class Silent:
    """A Python of the tree that did not report, and why."""

    pid: int
    command: str
    reason: str


@dataclass(frozen=True)
class Still:
    """A process that was looked at from outside, and of which nothing ran for so many seconds."""

    pid: int
    seconds: float
    stacks: str = ""


@dataclass(frozen=True)
class Site:
    """A line of a process that makes vectorizers of a class, or starts processes of one, or threads
    of one that run `function`. Of those that it `made`, some are `gone`; `closed` are vectorizers
    on which close() was called. At most `idle` of them were kept unclosed and not stepped any more
    while a later one was; they were `reused` so often. `alive` are those that were there at the
    last reading, or, of processes, when the last was started. The vectorizers started so many
    `workers`. Of those that were closed, so many had all their workers `running` when the last one
    was made; 0 where any had ended. The workers of a class of the user's are the processes `pids`;
    of threads these are the kernel's ids, of as many as were journaled. An object of a class of
    the user's that has a close(), the `owner`, started the first thread.
    """

    pid: int
    kind: str
    type: str
    location: Optional[Location] = None
    function: str = ""
    made: int = 0
    gone: int = 0
    closed: int = 0
    idle: int = 0
    reused: int = 0
    alive: int = 0
    workers: int = 0
    running: int = 0
    pids: Tuple[int, ...] = ()
    owner: str = ""

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]

    @property
    def place(self) -> str:
        """`train.py:12 in collect()`, or nothing."""
        if self.location is None:
            return ""
        file = self.location.file.replace("\\", "/").rsplit("/", 1)[-1]
        where = "" if self.location.function == "<module>" else " in %s()" % self.location.function
        return "%s:%d%s" % (file, self.location.line, where)


@dataclass(frozen=True)
class Standstill:
    """For `seconds` no thread of any process of the training ran, besides those of it that are
    `ticking`: they only sleep and wake; or none of the processes that are `stuck`. When it was
    first seen, at a number of seconds after the training began (0 where that is not known), its
    threads waited in `waits`; `stacks` are those of its processes. It was `asked` to end meanwhile.
    Locks that its processes wait for, and that their parents held when these were forked, are
    `held`. Calls that end the waits of threads are `wakers`.
    """

    seconds: float
    waits: Tuple[Wait, ...] = ()
    stacks: str = ""
    at: float = 0.0
    asked: bool = False
    held: Tuple[HeldLock, ...] = ()
    stuck: Tuple[int, ...] = ()
    ticking: int = 0
    wakers: Tuple[Waker, ...] = ()


@dataclass(frozen=True)
class Training:
    """The whole of it. `code` is how the command ended (negative: a signal), `seconds` how long it
    ran; it may not be `over` yet. `left` are processes that ran on, `failed` what could not be
    followed and why; `series` what its processes held meanwhile. One that was `attached` to was
    only looked at from outside: of its instances and calls nothing is known, and of its processes
    those that did not run are `still`. Of those that answer from within (Python 3.14) it is known
    what is `alive`; why one does not that could is in `refused`. `controls` are environments of it
    that were played without the trainer after it. `children` are the processes that those which
    call environments started. It ended out of its `standstill`, or is in it. `sites` are the lines
    that make its vectorizers and start its threads and processes. Its trainer may be `polling`, or
    in a loop that one `episode` ends. Its files were looked at `file_looks` times; `written` are
    those that were open for writing several times at once. Ctrl-C came `interrupted` seconds after
    it began, 0 where it did not. `settings` are lines that set something for its environments,
    `given_up` programs that ran on when nothing referred to them any more, `segments` the shared
    memory that its processes make, open and remove. Of what step() returned, some arrays were
    `overwritten` while they were held, and `aliased_arrays` are two values of a step. Its `jobs`
    are those of pools that it gave up, and that never ended. These lines took locks in threads of
    an event loop, for tasks that were cancelled, and nothing took them again (`lost_locks`). Its
    lines made `temporary` files and folders. In its `evaluations` something is learned that belongs
    to the training. Its `counts` of an episode's steps go on from the episode before. Its lines
    read `unreturned` keys of infos.
    """

    command: Tuple[str, ...]
    pid: int = 0
    code: int = 0
    seconds: float = 0.0
    processes: Tuple[TrainingProcess, ...] = ()
    instances: Tuple[Instances, ...] = ()
    long_calls: Tuple[LongCall, ...] = ()
    left: Tuple[TrainingProcess, ...] = ()
    silent: Tuple[Silent, ...] = ()
    failed: Tuple[str, ...] = ()
    series: Tuple[Series, ...] = ()
    over: bool = True
    attached: bool = False
    still: Tuple[Still, ...] = ()
    controls: Tuple[Control, ...] = ()
    alive: Tuple[Alive, ...] = ()
    refused: Tuple[Silent, ...] = ()
    children: Tuple[ChildSeries, ...] = ()
    standstill: Optional[Standstill] = None
    sites: Tuple[Site, ...] = ()
    polling: Optional[Polling] = None
    episode: Optional[EpisodeLoop] = None
    file_looks: int = 0
    written: Tuple[WrittenFile, ...] = ()
    interrupted: float = 0.0
    settings: Tuple[Setting, ...] = ()
    given_up: Tuple[GivenUp, ...] = ()
    segments: Tuple[SegmentUse, ...] = ()
    overwritten: Tuple[Overwritten, ...] = ()
    aliased_arrays: Tuple[AliasedArray, ...] = ()
    jobs: Tuple[GivenUpJob, ...] = ()
    lost_locks: Tuple[Location, ...] = ()
    temporary: Tuple[TemporaryFiles, ...] = ()
    evaluations: Tuple[Evaluation, ...] = ()
    counts: Tuple[CountGoesOn, ...] = ()
    unreturned: Tuple[UnreturnedKey, ...] = ()

    def as_dict(self) -> Dict[str, object]:
        """A JSON-able dict that `from_dict` turns back into an equal value."""
        encoded = asdict(self)
        for instances in encoded["instances"]:
            instances["played"] = instances.pop("step_digest")
        return encoded

    @classmethod
    def from_dict(cls, data: object) -> Training:
        """The inverse of `as_dict`; ValueError with one sentence for another value."""
        return decoded(cls, data)

    @property
    def created_here(self) -> Tuple[Instances, ...]:
        """Instances that were made in the process that reports them."""
        return tuple(instances for instances in self.instances if instances.number)

    def process(self, pid: int) -> Optional[TrainingProcess]:
        """The last process of a number."""
        alike = [process for process in self.processes if process.pid == pid]
        return alike[-1] if alike else None

    @property
    def exception(self) -> Optional[Raised]:
        """The exception that ended the script; nothing where a request did, or its own end."""
        trainer = self.process(self.pid)
        raised = trainer.raised if trainer is not None and self.over and self.code > 0 else None
        return None if raised is None or raised.type == INTERRUPT else raised

    def is_exiting(self, pid: int) -> bool:
        """Return whether the code of a process had ended when the training stood still."""
        process, still = self.process(pid), self.standstill
        if process is None or process.exits is None or still is None:
            return False
        return process.exits < still.at

    def total(self, method: str) -> int:
        """Calls of a method that came back, in all processes."""
        return sum(instances.calls(method).ended for instances in self.instances)


def training_in(trace: Optional[Trace]) -> Optional[Training]:
    """The training that a trace is of; None where it is of none."""
    return None if trace is None else trace.read_once(Training, _training)


def _training(trace: Trace) -> Optional[Training]:
    value = trace.fact(TRAINING)
    if isinstance(value, Training):
        return value
    return Training.from_dict(value) if isinstance(value, Mapping) else None
