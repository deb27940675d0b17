"""A Ray cluster as the place of a sweep: examinations are tasks, and the driver has the results.

Ray itself is an optional dependency, imported here and on the nodes only.
"""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import field
from typing import TYPE_CHECKING, Any, Self

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.interpreters import Interpreter
from envdoctor.run.supervise.interruption import stopping
from envdoctor.sweep import ray_node
from envdoctor.sweep.engine import RENEW_SECONDS, TERM_SECONDS
from envdoctor.sweep.outcomes import ExaminationOutcome, ResultPublisher
from envdoctor.sweep.plans import Examination, refuse_client
from envdoctor.sweep.processors import PROCESSORS_EACH
from envdoctor.sweep.ray_node import Answer, Place, Work

if TYPE_CHECKING:
    from types import ModuleType

ADDRESS = "RAY_ADDRESS"  # the variable that names a cluster
CONNECT_SECONDS = 5.0
WAIT_SECONDS = 0.5  # after which a wish to end is heard
LOOK_SECONDS = 5.0  # between two looks at which nodes there are
MORE = 4  # tasks that wait in the cluster, for nodes that are added
#: How often a node may be lost under one examination: machines that a provider takes back are
#: common, and not the environment's doing.
MOST_LOST = 10
#: The folder in which a job finds what was sent with it; Ray removes it with the job.
OF_A_JOB = "/runtime_resources/working_dir_files/"


def refuse_folder(out: str) -> None:
    """Raises UsageError for a folder that ends with the job that writes it."""
    if OF_A_JOB in out:
        raise UsageError(
            f"--out {out}: Ray removes this folder with the job; name one that stays, such as"
            " /shared/monday"
        )


def named_address(address: str) -> str:
    """The address of `--on`, else that of the variable; empty for none. Raises UsageError for one
    of a Ray Client.
    """
    if address:
        return address
    environ = os.environ.get(ADDRESS, "")
    refuse_client(f"invalid {ADDRESS} {environ!r}", environ)
    return environ


def refuse_silence(address: str) -> None:
    """Raises UsageError where nothing answers at HOST:PORT. Ray itself would ask for a minute."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError) as error:  # the last of a host such as a..b
        raise UsageError(f"--on ray: nothing answers at {address}: {error}") from error


class Cluster:
    """A connection to a cluster. A context manager, which ends it. `address` is Ray's own word for
    one, empty for the one that Ray finds, or a new one on this machine; `sent` is a folder that
    the nodes get. Raises UsageError.
    """

    def __init__(self, address: str, sent: str = "") -> None:
        try:
            import ray
        except ImportError as error:
            raise UsageError(
                "--on ray needs Ray, which is not installed here: pip install 'envdoctor[ray]'"
            ) from error
        refuse_silence(named_address(address))
        self._ray: ModuleType = ray
        self.origin = os.path.abspath(sent) if sent else os.getcwd()
        try:
            ray.init(
                address=address or None,
                runtime_env={"working_dir": self.origin} if sent else None,
                log_to_driver=False,
                logging_level="ERROR",
            )
        except (ConnectionError, ValueError, RuntimeError, OSError) as error:
            raise UsageError(f"--on ray: {_first_line(error)}") from error
        self._looked, self._nodes = 0.0, [0.0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection. May be called twice."""
        self._ray.shutdown()

    def ask(
        self, python: str | None, directory: str, registry: str = "", imports: Iterable[str] = ()
    ) -> Interpreter:
        """Return the versions of an interpreter on a node. Raises UsageError."""
        place = Place(directory, self.origin)
        interpreter: Interpreter = self._result(
            ray_node.ask, python, place, registry, tuple(imports)
        )
        return interpreter

    def machine(self) -> str:
        """The class of machine of a node."""
        return str(self._result(ray_node.machine))

    def _result(self, function: Callable[..., object], *arguments: object) -> Any:
        """Return the result of a function on a node. Raises UsageError."""
        remote = self._ray.remote(num_cpus=0, max_retries=MOST_LOST)(function)
        try:
            return self._ray.get(remote.remote(*arguments))
        except self._ray.exceptions.RayError as error:
            raise UsageError(f"--on ray: {_cause(error)}") from error

    def submit(self, work: Work) -> object:
        """Begin an examination on a node; the handle of its answer. Retries are the driver's."""
        remote = self._ray.remote(num_cpus=self._processors(), max_retries=0)(ray_node.examine)
        return remote.remote(work)

    def room(self) -> int:
        """Return how many examinations the present nodes have processors for."""
        each = self._processors()
        return sum(int(number // each) for number in self._nodes)

    def _processors(self) -> float:
        """The processors of each examination; no more than the largest node has."""
        if time.monotonic() - self._looked > LOOK_SECONDS:
            self._looked = time.monotonic()
            self._nodes = [
                float({**node}.pop("Resources", {}).pop("CPU", 0.0))
                for node in self._ray.nodes()
                if {**node}.pop("Alive", False)
            ]
        return min(PROCESSORS_EACH, max(1.0, *self._nodes, 0.0))

    def ended(self, handles: Iterable[object]) -> list[object]:
        """Those that have an answer; waits a moment for one."""
        done, _ = self._ray.wait(list(handles), num_returns=1, timeout=WAIT_SECONDS)
        return list(done)

    def answer(self, handle: object) -> Answer | LostTask:
        """Return the answer, or the loss of the task. Raises UsageError if no node can do it."""
        errors = self._ray.exceptions
        try:
            answer: Answer = self._ray.get(handle)
        except errors.NodeDiedError:
            return LostTask("the node was lost", of_node=True)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError) as error:
            out = isinstance(error, errors.OutOfMemoryError)
            return LostTask("the node ran out of memory" if out else "the worker of the node died")
        except errors.ObjectLostError:
            return LostTask("the answer was lost with its node", of_node=True)
        except errors.RayError as error:
            raise UsageError(f"--on ray: {_cause(error)}") from error
        if answer.refused:
            raise UsageError(f"--on ray: node {answer.node}: {answer.refused}")
        return answer

    def cancel(self, handles: Iterable[object]) -> None:
        """Ask all to end, and give them time to tidy up."""
        left = list(handles)
        for item in left:
            with suppress(self._ray.exceptions.RayError):
                self._ray.cancel(item, force=False)
        if left:
            self._ray.wait(left, num_returns=len(left), timeout=TERM_SECONDS)


@dataclass(frozen=True)
class LostTask:
    """An examination that has no answer. `of_node` says that a whole node went."""

    how: str
    of_node: bool = False


@dataclass
class Task:
    """A task that was begun. `attempt` counts those that the environment may have ended, `lost` the
    nodes that went.
    """

    examination: Examination
    attempt: int = 1
    lost: int = 0

    @property
    def again(self) -> bool:
        """True if it was begun before, and its key is claimed."""
        return self.attempt > 1 or self.lost > 0


@dataclass
class RayEngine:
    """One driver at a ledger, which examines on a cluster. `jobs` is how many at once, None as many
    as there are processors for. `expected` are the packages that each node has to have, by
    interpreter; `say` is called with what happens besides results.
    """

    publisher: ResultPublisher
    cluster: Cluster
    expected: Mapping[str, Mapping[str, str]]
    jobs: int | None = None
    say: Callable[[str], None] = lambda _line: None
    interrupted: bool = False
    _running: dict[object, Task] = field(default_factory=dict)
    _waiting: deque[Task] = field(default_factory=deque)
    _renewed: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """The number of examinations of this driver that have no result yet."""
        return len(self._waiting) + len(self._running)

    def run(self, examinations: Iterable[Examination]) -> None:
        """Examine what has no result yet and is not another driver's; the connection ends with it.
        Raises UsageError where the cluster cannot do it.
        """
        done = self.publisher.ledger.done()
        self._waiting = deque(
            Task(examination) for examination in examinations if examination.key not in done
        )
        # Ray prints the log of each node that is lost to standard output, which is the report's.
        with stopping(self._stop), open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
            try:
                self._fill()
                while self._running and not self.interrupted:
                    for handle in self.cluster.ended(self._running):
                        self._conclude(handle)
                    self._renew()
                    self._fill()
            finally:
                self._end_all()
                self.cluster.close()  # its last words come late

    def _stop(self) -> None:
        self.interrupted = True

    def _fill(self) -> None:
        """Begin as many as the cluster has room for, and a few that wait there."""
        most = self.jobs or self.cluster.room() + MORE
        while self._waiting and len(self._running) < most and not self.interrupted:
            task = self._waiting.popleft()
            if task.again or self.publisher.ledger.claim(
                task.examination.key, self.publisher.driver
            ):
                self._running[self.cluster.submit(self._work(task.examination))] = task

    def _work(self, examination: Examination) -> Work:
        identity = examination.identity
        return Work(
            examination.key,
            examination.words,
            Place(examination.directory, self.cluster.origin),
            identity.interpreter,
            {**self.expected[identity.interpreter], ray_node.MACHINE: identity.machine},
        )

    def _conclude(self, handle: object) -> None:
        """Publish what came out, or begin again, before all that waits."""
        answer = self.cluster.answer(handle)
        task = self._running.pop(handle)
        self.publisher.clear(task.examination)
        if isinstance(answer, LostTask):
            times = task.lost + 1 if answer.of_node else task.attempt
            outcome = ExaminationOutcome(task.examination, 1, times, lost=answer.how)
            counted = (
                task.lost < MOST_LOST if answer.of_node else task.attempt <= self.publisher.retries
            )
        else:
            for ending, data in answer.files.items():
                self.publisher.file(task.examination, ending).write_bytes(data)
            outcome = ExaminationOutcome(task.examination, answer.code, task.attempt, answer.node)
            counted = self.publisher.again(outcome)
        if not counted:
            self.publisher.publish(outcome)
            return
        of_node = isinstance(answer, LostTask) and answer.of_node
        how = answer.how if isinstance(answer, LostTask) else "the examination died"
        self.say(f"{task.examination.identity.label}: {how}; it begins again")
        self._waiting.appendleft(
            Task(task.examination, task.attempt + (not of_node), task.lost + of_node)
        )

    def _renew(self) -> None:
        """Tell other machines that this driver lives."""
        if time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._renewed = time.monotonic()
            self.publisher.ledger.renew(task.examination.key for task in self._running.values())

    def _end_all(self) -> None:
        """Ask all that run to end, and give their keys back."""
        self.cluster.cancel(self._running)
        begun = [*self._running.values(), *(task for task in self._waiting if task.again)]
        for task in begun:
            self.publisher.ledger.release(task.examination.key)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(error).__name__


def _cause(error: BaseException) -> str:
    """The sentence below Ray's own, which holds a traceback."""
    cause = getattr(error, "cause", None)
    return _first_line(cause if isinstance(cause, BaseException) else error)
