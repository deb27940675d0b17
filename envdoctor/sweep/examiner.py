"""A process that has imported what examinations need, and forks one for each order: to start Python
and to import it anew for each costs a fifth of a short examination.

A line of JSON from the driver is an order, `[directory, file of stderr, words]`, or a signal,
`[process id, number]`. The process answers each order with `[process id, null]`, and each end with
`[process id, exit code]`, on a pipe of its own: a sitecustomize may print to stdout. It alone sends
signals: it knows which process ids are still those of examinations, because it has not yet waited
for them.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from typing import IO, Self

from envdoctor.run.supervise import guard
from envdoctor.run.supervise.owner import started

MODULE = "envdoctor.cli.examination"
END_SECONDS = 10.0  # for processes to be gone after they were asked, or killed


@dataclass
class Forked:
    """An examination that was begun; waited for and ended as a `subprocess.Popen` is."""

    pid: int
    examiner: Examiner
    start: str = ""
    returncode: int | None = None
    over: Event = field(default_factory=Event)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, negative for a signal. Raises subprocess.TimeoutExpired."""
        self.over.wait(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired([MODULE], timeout or 0.0)
        return self.returncode

    def terminate(self) -> None:
        """Ask it to end."""
        self.examiner.tell([self.pid, signal.SIGTERM])

    def kill(self) -> None:
        """End it at once."""
        self.examiner.tell([self.pid, signal.SIGKILL])

    def conclude(self, code: int) -> None:
        """Its end is known."""
        self.returncode = code
        self.over.set()


class Examiner:
    """The process as its driver sees it; a context manager, which ends it. Raises OSError where it
    cannot be started.
    """

    def __init__(self) -> None:
        answers, theirs = os.pipe()
        self._answers = os.fdopen(answers, "rb")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", MODULE, str(os.getpid()), str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs],
                start_new_session=True,  # Ctrl-C in the terminal is the driver's affair
            )
        except OSError:
            self._answers.close()
            raise
        finally:
            os.close(theirs)
        self._running: dict[int, Forked] = {}
        self._begun: SimpleQueue[Forked | None] = SimpleQueue()
        self._is_alive = True
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it was killed
            self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._listener.join()

    @property
    def is_alive(self) -> bool:
        """True if it takes orders, as far as is known."""
        return self._is_alive

    def begin(self, directory: str, said: Path, words: Sequence[str]) -> Forked:
        """Begin an examination, with its stderr in the file `said`. Where the process was killed,
        so was the examination.
        """
        self.tell([directory, str(said), list(words)])
        begun = self._begun.get() if self._is_alive else None
        if begun is None:
            begun = Forked(self._process.pid, self)
            begun.conclude(self._process.wait())
        return begun

    def tell(self, order: list[object]) -> None:
        """Send a line; one that has ended reads none."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()

    def _listen(self) -> None:
        """Take answers until there are no more. An examiner that says something else is ended."""
        with self._answers:
            try:
                for line in self._answers:
                    self._take(*json.loads(line))
            except Exception:  # of any kind: who waits for an answer has to wake up
                self._process.kill()
        code = self._process.wait()
        _end(self._running.values())
        self._is_alive = False
        for forked in self._running.values():
            forked.conclude(code)
        self._begun.put(None)

    def _take(self, pid: int, code: int | None) -> None:
        """Take one answer."""
        if code is None:
            self._running[pid] = Forked(pid, self, started(pid))
            self._begun.put(self._running[pid])
        else:
            self._running.pop(pid).conclude(code)


def _end(orphans: Iterable[Forked]) -> None:
    """End examinations whose exit nothing can wait for: what is begun again writes to their files.
    Their own watchdogs clean up.
    """
    deadline = time.monotonic() + END_SECONDS
    for orphan in orphans:
        while orphan.start and started(orphan.pid) == orphan.start and time.monotonic() < deadline:
            guard.kill(orphan.pid, guard.SIGKILL)
            time.sleep(0.01)


def serve(answers: int) -> list[str]:
    """Take orders until the driver has no more, and end this process then; `answers` is the
    descriptor of the pipe for answers. Returns the words of an order in the process that was forked
    for it.
    """
    publisher = _Answers(answers)
    gc.freeze()  # what is there is shared with all children
    while True:
        ready = publisher.ready()
        if publisher.woken in ready:
            publisher.tell_ends()
        if publisher.orders in ready:
            line = publisher.orders.readline()
            if not line:
                sys.exit(0)
            first, second, *words = json.loads(line)
            if isinstance(first, int):
                publisher.send(first, second)
            elif publisher.fork():
                _prepare(first, second)
                return list(*words)


class _Answers:
    """The channels of the process that forks, which its children do not keep, and the children
    that it has not yet waited for.
    """

    def __init__(self, answers: int) -> None:
        self.orders = os.fdopen(os.dup(0), "rb", buffering=0)
        self._answers = os.fdopen(answers, "wb", buffering=0)
        os.set_inheritable(answers, False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self.woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        self._children: set[int] = set()

    def ready(self) -> list[IO[bytes] | int]:
        """Wait for an order, or for the end of a child; what can be read."""
        channels: list[IO[bytes] | int] = [self.orders, self.woken]
        return select.select(channels, [], [])[0]

    def fork(self) -> bool:
        """Begin a child; True in it."""
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self.orders.close()
            self._answers.close()
            os.close(self.woken)
            os.close(self._wake)
            return True
        self._children.add(pid)
        self._answer(pid, None)
        return False

    def send(self, pid: int, number: int) -> None:
        """Send a signal to a child that has not ended."""
        if pid in self._children:
            os.kill(pid, number)

    def tell_ends(self) -> None:
        """Tell the driver which children have ended."""
        os.read(self.woken, 4096)
        for child in tuple(self._children):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                self._children.remove(pid)
                self._answer(pid, os.waitstatus_to_exitcode(status))

    def _answer(self, pid: int, code: int | None) -> None:
        with suppress(BrokenPipeError):  # the driver was killed, and this process ends
            self._answers.write(json.dumps([pid, code]).encode() + b"\n")


def _prepare(directory: str, said: str) -> None:
    """Make a child what `subprocess.Popen` would: a session of its own, its folder, its stderr."""
    os.setsid()
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 2)
    os.close(file)
    os.chdir(directory)
