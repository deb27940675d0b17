"""One probe and its guard, as the doctor holds them."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from envdoctor.model.template_request import ForkRequest
from envdoctor.model.variables import variables
from envdoctor.run.supervise import guard, proc
from envdoctor.run.supervise.idle_detection import LOOK_EVERY, MOST, Allowance, Idleness
from envdoctor.run.supervise.limits import usable_cores
from envdoctor.run.supervise.stack_signal import STACK_SIGNAL
from envdoctor.starting import FOLDER

GUARD_SECONDS = guard.KILL_SECONDS + 2.0  # longest wait for a guard that ends everything below it
#: An allocator that gives freed memory back at once and keeps one arena, so that its numbers mean
#: something.
ALLOCATOR = "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0:glibc.malloc.arena_max=1"

#: The variables that differ between the probes of one session.
FORKED = ("TMPDIR", "ENVDOCTOR_MARK", "ENVDOCTOR_STACKS")


class Guard(Protocol):
    """A guard's process, as `subprocess.Popen` and a forked one offer it."""

    @property
    def pid(self) -> int:
        """Its process id."""

    @property
    def returncode(self) -> int | object:
        """Its exit code, once it has ended; not 0 where that is not known."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """End it."""


class Forking(Protocol):
    """A process that forks probes."""

    def fork(self, request: ForkRequest, descriptors: tuple[int, ...]) -> Guard:
        """Fork a child; its guard. Raises OSError."""


class ProbeProcess:
    """Starts a guard, and through it a probe, with a home of its own:
    `home`/{cwd,tmp,stdout,stderr,stacks}.

    `pid` is the probe's process id and `status` its wait status, each None until the guard reports
    it; `failure` says why the program could not be started; `lost` is true when the guard itself is
    gone. Raises OSError when not even the guard can be started. `orphan` is the directory of the
    run, where the guard writes down what the cleanup watchdog has to know should this process be
    killed. With `imports_from`, the user's directory, the probe imports ahead of its first request
    what most requests need. With `template`, it is forked from that one, and may raise OSError.
    With `imports`, the file that names what to import, it is a template itself. `forked` says
    whether it began in a template.
    """

    def __init__(
        self,
        python: str,
        bundle: Path,
        home: Path,
        orphan: Path,
        hash_seed: int = 0,
        imports_from: str | None = None,
        template: Forking | None = None,
        imports: Path | None = None,
    ) -> None:
        self.python = python
        self.hash_seed = hash_seed
        self.home = home
        self.orphan = orphan
        self.forked = template is not None
        self.mark = os.urandom(16).hex()
        self.pid: int | None = None
        self.status: int | None = None
        self.failure = ""
        self.lost = False
        self._heard = b""
        self._command = self._report = self._request = -1
        for folder in (home / "cwd", home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        self._begin(bundle, imports_from, template, imports)

    def control(self) -> socket.socket:
        """The socket of a template, which its owner closes."""
        request, self._request = self._request, -1
        return socket.socket(fileno=request)

    @property
    def alive(self) -> bool:
        """True if the probe runs, as far as is known."""
        return self.status is None and not self.lost

    @property
    def pids(self) -> list[int]:
        """The probe and everything below it, found by descent alone: cheap enough to be asked
        often.
        """
        root = self._guard.pid
        return proc.descendants(root) if proc.LISTS_CHILDREN else guard.below(root, guard.NOBODY)

    def everything(self) -> list[int]:
        """The probe and everything that belongs to it, found by descent, session and mark."""
        return guard.below(self._guard.pid, self.pid or guard.NOBODY, self.mark)

    def freeze(self) -> set[int]:
        """Stop everything that belongs to the probe, which is going to be ended; what that is."""
        return guard.freeze(self._guard.pid, self.pid or guard.NOBODY, self.mark)

    def others(self) -> list[int]:
        """Everything that belongs to the probe except itself."""
        return [pid for pid in self.everything() if pid != self.pid]

    def send(self, line: bytes, seconds: float) -> None:
        """Write to the request pipe. Raises BrokenPipeError when it is not read, or not within
        `seconds`.
        """
        deadline = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self._request, select.POLLOUT)
        while line:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise BrokenPipeError("the probe does not read its requests")
            line = line[os.write(self._request, line) :]

    def wait(self, seconds: float) -> None:
        """Wait for news of the guard; at once when there is some, or none can come any more."""
        if not self.lost and self._news.poll(seconds * 1000):
            self._hear()

    @property
    def _pids(self) -> list[int]:
        return [] if self.pid is None else [self.pid]

    def release(self, seconds: float) -> bool:
        """Close the request pipe, which asks the probe to exit, and wait for that; kill it when
        it was still for so many seconds, or had MOST times as many. Whether it exited.
        """
        self._close("_request")
        most, idle = Allowance(seconds * MOST, self._pids, usable_cores()), Idleness()
        while self.alive and idle.seconds(self._pids) < seconds and not most.is_over(self._pids):
            self.wait(LOOK_EVERY)
        exited = self.status is not None
        # It stays, or its guard was killed and it goes on alone.
        if not exited and self.pid is not None:
            guard.kill(self.pid, guard.SIGKILL)
            self.wait(seconds)
        return exited

    def end(self) -> None:
        """End the guard and everything below it; nothing is left afterwards. May be called
        twice.
        """
        if self._command >= 0:
            # An environment may have stopped its parent.
            guard.kill(self._guard.pid, signal.SIGCONT)
            with suppress(OSError):  # the guard was killed
                os.write(self._command, b".")
        self._close("_command")
        self._close("_request")
        deadline = time.monotonic() + GUARD_SECONDS
        self._wait_for_silence(deadline)
        try:
            self._guard.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        # Killed by what it guarded: its descendants are found by session and mark only.
        if self._guard.returncode:
            guard.end_all(guard.NOBODY, self.pid or guard.NOBODY, self.mark)
        self._close("_report")
        self.lost = True

    def _wait_for_silence(self, deadline: float) -> None:
        """Until the guard has closed its report, by ending. Popen.wait() with a limit would
        sleep between two looks.
        """
        while not self.lost and self._news.poll(max(0.0, deadline - time.monotonic()) * 1000):
            self.lost = not os.read(self._report, 4096)

    def _begin(
        self, bundle: Path, imports_from: str | None, template: Forking | None, imports: Path | None
    ) -> None:
        command, self._command = os.pipe()
        self._report, report = os.pipe()
        request, self._request = self._channel(imports)
        theirs = (command, report, request)
        try:
            with (
                (self.home / "stdout").open("ab") as stdout,
                (self.home / "stderr").open("ab") as stderr,
            ):
                outputs = (stdout.fileno(), stderr.fileno())
                if template is None:
                    words = [str(request)]
                    words += [imports_from or ""] if imports_from or imports else []
                    words += [str(imports)] if imports else []
                    self._guard = self._start(theirs, outputs, [self.python, str(bundle), *words])
                else:
                    asked = self._fork_request(str(imports or ""))
                    self._guard = template.fork(asked, (*theirs, *outputs))
        except BaseException:
            for name in ("_command", "_report", "_request"):
                self._close(name)
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        os.set_blocking(self._request, False)
        self._news = select.poll()
        self._news.register(self._report, select.POLLIN)

    @staticmethod
    def _channel(imports: Path | None) -> tuple[int, int]:
        """The probe's end and ours: a pipe, or a template's socket."""
        if imports is None:
            return os.pipe()
        theirs, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return theirs.detach(), ours.detach()

    def _start(
        self, theirs: tuple[int, int, int], outputs: tuple[int, int], program: list[str]
    ) -> Guard:
        return subprocess.Popen(
            [*guard.words_of(guard.__file__), *map(str, theirs), *self._named, *program],
            stdin=subprocess.DEVNULL,
            stdout=outputs[0],
            stderr=outputs[1],
            cwd=self.home / "cwd",
            env=self._inherited() | self._environment(),
            pass_fds=theirs,
            start_new_session=True,  # Ctrl-C in the terminal is the doctor's affair
        )

    def _fork_request(self, imports: str) -> ForkRequest:
        own = {name: self._environment()[name] for name in FORKED}
        return ForkRequest(
            str(self.home), own, guard.words_of(guard.__file__), self._named, imports
        )

    @property
    def _named(self) -> tuple[str, str]:
        return (self.mark, str(self.orphan))

    def _inherited(self) -> dict[str, str]:
        """The doctor's variables. A probe is not a training to be watched."""
        return {name: value for name, value in os.environ.items() if name != FOLDER}

    def _environment(self) -> dict[str, str]:
        return {
            "TMPDIR": str(self.home / "tmp"),
            "ENVDOCTOR_MARK": self.mark,
            "ENVDOCTOR_STACKS": str(self.home / "stacks"),
            "ENVDOCTOR_STACK_SIGNAL": str(int(STACK_SIGNAL)),
            "GLIBC_TUNABLES": ALLOCATOR,
            # The user's own, for what the environment starts.
            "ENVDOCTOR_TUNABLES": variables(os.environ).tunables,
            "PYTHONHASHSEED": str(self.hash_seed),
        }

    def _hear(self) -> None:
        data = os.read(self._report, 4096)
        self.lost = not data and self.status is None
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            word, _, value = line.decode().partition(" ")
            if word == "began":
                self.pid = int(value)
            elif word == "failed":
                self.failure = value
            elif word == "ended":
                self.status = int(value)

    def _close(self, name: str) -> None:
        descriptor: int = getattr(self, name)
        if descriptor >= 0:
            setattr(self, name, -1)
            os.close(descriptor)
