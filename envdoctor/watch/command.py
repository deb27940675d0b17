"""The user's command, run as if it were not watched: its streams, its signals, its exit code."""

from __future__ import annotations

import ctypes
import errno
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training import Training
from envdoctor.run.supervise import owner, proc
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.watch.adding_lines import with_adding_lines
from envdoctor.watch.boot_folder import environment, write_boot
from envdoctor.watch.following import Follower
from envdoctor.watch.own_classes import defines_own_classes
from envdoctor.watch.running import RunningTraining, mark
from envdoctor.watch.stand_in import BY_KERNEL, FORWARDED, is_gone

PYTHON, END = "python", ".py"
LOOK = 0.05  # seconds
PATIENCE = 10.0  # seconds until Ctrl-C is pressed again
PR_SET_PDEATHSIG = 1
SESSION = 3  # of the words that follow the name in /proc/PID/stat

ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
HANDLED = (*FORWARDED, signal.SIGTSTP)


class FollowedCommand(Protocol):
    """A source of the state of a training."""

    def training(self) -> Training:
        """The training as it was when it was last looked at."""


class Display(Protocol):
    """A display of the state of a training, each `every` seconds; never for 0."""

    every: float

    def show(self, follower: FollowedCommand) -> None:
        """Show it."""

    def hide(self) -> None:
        """Leave the terminal as it was."""


@dataclass(frozen=True)
class RunTerms:
    """The surroundings of a command: it writes to `stdout`, where that is not the doctor's own.
    `alone`: without a terminal and in a session of its own, of which nothing is left afterwards; it
    is ended after `seconds`, gets Ctrl-C after `interrupt`, and is killed after `kill`, without
    what it has started. `in_front`: a descriptor that is at its end once the process that a
    launcher knows as the command is gone; then the command is killed. `directory`: where it runs,
    if not where the doctor does.
    """

    stdout: int | None = None
    alone: bool = False
    seconds: float = math.inf
    interrupt: float = math.inf
    kill: float = math.inf
    in_front: int | None = None
    directory: str | None = None


USUAL = RunTerms()


def watch(
    command: tuple[str, ...],
    displays: Sequence[Display],
    holders: bool = True,
    terms: RunTerms = USUAL,
) -> Training:
    """Run a command and see what it does. Where memory grows, `holders` has processes look for who
    holds what grows.

    Raises UsageError where it cannot be started.
    """
    directory, here = RunDirectory(), Path(terms.directory or os.getcwd())
    try:
        command = with_program(command, here)
        write_boot(directory.path, defines_own_classes(command, here))
        follower = Follower(directory.path, command, holders)
        return with_adding_lines(_watched(follower, directory, displays, terms), here)
    finally:
        directory.close()


def _watched(
    follower: Follower, directory: RunDirectory, displays: Sequence[Display], terms: RunTerms
) -> Training:
    started = _start(follower.command, follower.folder, terms)
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
    try:
        follower.pid = started.pid
        began, start = follower.began, owner.started(started.pid)
        running = RunningTraining(follower.command, started.pid, os.getpid(), began, start)
        mark(follower.folder, running)
        directory.keep_for(started.pid)
        start_of_run, interrupt = time.monotonic(), terms.interrupt
        shown = [start_of_run] * len(displays)
        while started.poll() is None:
            follower.look()
            follower.wait(min(LOOK, follower.pause))
            came = _handle(started, displays, terms.alone)
            seconds = time.monotonic() - start_of_run
            if seconds > interrupt:
                interrupt = seconds + PATIENCE
                came.add(_press(started.pid))
            if not ENDING.isdisjoint(came):
                follower.interrupted(signal.SIGINT in came)
            is_left = terms.in_front is not None and is_gone(terms.in_front)
            if is_left or seconds > terms.kill:
                started.kill()
            if seconds > terms.seconds:
                end_session(started.pid)
            for at, display in enumerate(displays):
                if display.every and time.monotonic() - shown[at] >= display.every:
                    shown[at] = time.monotonic()
                    display.show(follower)
        _hide(displays)
        follower.look()
        return follower.finish(started.returncode)
    finally:
        _hide(displays)
        follower.close()
        if terms.alone:
            end_session(started.pid)
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _start(command: tuple[str, ...], folder: Path, terms: RunTerms) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL if terms.alone else None
    ask = _end_with(os.getpid()) if terms.in_front is not None else None
    try:
        return subprocess.Popen(
            command,
            env=environment(folder, os.environ),
            cwd=terms.directory,
            stdin=nothing,
            stdout=terms.stdout if nothing is None else nothing,
            stderr=nothing,
            start_new_session=terms.alone,
            close_fds=False,  # those of ours stay here; others were given to the command
            preexec_fn=ask,  # noqa: PLW1509
        )
    except OSError as error:
        why = error.strerror
        if error.errno == errno.ENOENT:
            near = nearest_file(command, Path(terms.directory or os.getcwd()))
            why = f"the program does not exist{near}"
        raise UsageError(f"{command[0]} cannot be started: {why}") from error


def _end_with(parent: int) -> Callable[[], None]:
    """Return what has the kernel kill the calling process when its parent dies; called in a new
    process, of a parent without threads.
    """
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return ask


def _press(leader: int) -> int:
    """Press Ctrl-C for a command in a session of its own: all of its process group gets it."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGINT)
    return signal.SIGINT


def end_session(leader: int) -> None:
    """Kill each process of a session that we began."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        words = proc.read(f"/proc/{name}/stat").rpartition(")")[2].split()
        if len(words) > SESSION and words[SESSION] == str(leader):
            with suppress(ProcessLookupError):
                os.kill(int(name), signal.SIGKILL)


def _hide(displays: Sequence[Display]) -> None:
    for display in displays:
        display.hide()


def _handle(started: subprocess.Popen[bytes], displays: Sequence[Display], alone: bool) -> set[int]:
    """Hand on the signals that came since, but those that the terminal sent to both, and return
    which they are. Where it is Ctrl-Z, stop as the command does, and let it go on with us.
    """
    came = set()
    while (info := signal.sigtimedwait(HANDLED, 0)) is not None:
        came.add(info.si_signo)
        from_terminal = info.si_code == BY_KERNEL and not alone
        if not from_terminal and started.poll() is None:
            started.send_signal(info.si_signo)
        if info.si_signo == signal.SIGTSTP:
            _hide(displays)
            stop()
            if not from_terminal and started.poll() is None:
                started.send_signal(signal.SIGCONT)
    return came


def stop() -> None:
    """Stop until SIGCONT. Without a shell that could send it (an orphaned process group) the kernel
    lets it go on at once.
    """
    os.kill(os.getpid(), signal.SIGTSTP)
    earlier = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTSTP,))
    signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def with_program(command: tuple[str, ...], here: Path) -> tuple[str, ...]:
    """Return a command that can be started: of `train.py --seed 1`, where that is a file here and
    no program, `python train.py --seed 1`.
    """
    file = here / command[0]
    is_program = shutil.which(command[0]) is not None
    if not command[0].endswith(END) or is_program or not os.path.isfile(file):
        return command
    return (PYTHON if shutil.which(PYTHON) else sys.executable, *command)


def nearest_file(command: tuple[str, ...], here: Path) -> str:
    """`; did you mean train.py?` where a command begins with a file of Python's that is not there,
    and one of a similar name is; else nothing.
    """
    folder, name = os.path.split(command[0])
    if not name.endswith(END):
        return ""
    try:
        names = sorted(each.name for each in (here / folder).glob(f"*{END}"))
    except OSError:
        return ""
    return nearest_sentence(command[0], [os.path.join(folder, each) for each in names])
