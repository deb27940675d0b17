"""The number of things that a service keeps, as a command of the user's counts it: what an
environment leaves in another process, or on another machine, is in no reading of this one.
"""

from __future__ import annotations

import os
import re
import select
import signal
from array import array
from typing import Dict, List, Tuple

from envdoctor.probe.system.deadline import Deadline

SECONDS = 10.0  # for one count
LOOK_EVERY = 100  # milliseconds
MOST_BYTES = 1 << 16
MAX_TEXT = 200  # characters of what a command that fails says

_command: List[str] = []
_last = array("q", [0])
_failure: List[str] = []

_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?![\w.])")


class Failed(Exception):
    """It did not count."""


def ask_for(command: str) -> None:
    """Count with this command from now on; without one, nothing is counted."""
    _command[:] = [command] if command else []


def is_asked_for() -> bool:
    """Return whether there is one."""
    return bool(_command)


def missing() -> str:
    """Return why it cannot be counted, or ""."""
    try:
        _last[0] = count(_command[0])
    except Failed as reason:
        return str(reason)
    return ""


def read() -> int:
    """Return how many there are; as many as before where the command fails: `failure` says so."""
    try:
        _last[0] = count(_command[0])
    except Failed as reason:
        _failure[:] = [str(reason)]
    return _last[0]


def before() -> int:
    """Return the last reading."""
    return _last[0]


def failure() -> str:
    """Return why a reading failed, or ""."""
    return _failure[0] if _failure else ""


def count(command: str) -> int:
    """The whole number that a command prints, by itself or as the only one. Raises Failed."""
    code, printed, said = run(command)
    if code:
        words = " ".join(os.fsdecode(said or printed).split())[:MAX_TEXT]
        raise Failed("the command ended with exit code %d%s" % (code, words and ": " + words))
    numbers = _NUMBER.findall(printed)
    if len(numbers) != 1:
        words = " ".join(os.fsdecode(printed).split())[:MAX_TEXT]
        raise Failed("the command printed %r: expected one whole number" % words)
    return int(numbers[0])


def run(command: str, seconds: float = SECONDS) -> Tuple[int, bytes, bytes]:
    """The exit code of a command of the shell, what it printed and what it said besides. Raises
    Failed where it does not end.
    """
    (reads, printed), (listens, said) = os.pipe(), os.pipe()
    texts: Dict[int, bytes] = {reads: b"", listens: b""}
    actions = (
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, printed, 1),
        (os.POSIX_SPAWN_DUP2, said, 2),
    )
    words = ["/bin/sh", "-c", command]
    try:
        pid = os.posix_spawn(words[0], words, os.environ, file_actions=actions, setpgroup=0)
    finally:
        os.close(printed)
        os.close(said)
    try:
        if not _read(texts, Deadline(seconds)):
            os.killpg(pid, signal.SIGKILL)
            raise Failed("the command did not end within %.0f s" % seconds)
    finally:
        os.close(reads)
        os.close(listens)
        code = _waited_for(pid)
    return code, texts[reads], texts[listens]


def _read(texts: Dict[int, bytes], deadline: Deadline) -> bool:
    """Read what a process says until both pipes are closed; False where that takes too long."""
    poll = select.poll()
    for descriptor in texts:
        poll.register(descriptor, select.POLLIN)
    still_open = len(texts)
    while still_open:
        if deadline.passed or max(map(len, texts.values())) > MOST_BYTES:
            return False
        for descriptor, _ in poll.poll(LOOK_EVERY):
            chunk = os.read(descriptor, MOST_BYTES)
            texts[descriptor] += chunk
            if not chunk:
                poll.unregister(descriptor)
                still_open -= 1
    return True


def _waited_for(pid: int) -> int:
    """The exit code of a child; 0 where another thread has waited before."""
    try:
        status = os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return 0
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
