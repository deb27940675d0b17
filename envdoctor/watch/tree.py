"""Linux: the processes below the training's command, as /proc has them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from envdoctor.run.supervise import proc
from envdoctor.starting import BOOT, PATH

_PYTHON = re.compile(r"python(\d(\.\d+)?)?(-\w+)?$")
_TICKS = os.sysconf("SC_CLK_TCK")
OLDEST = (3, 8)
#: Options of Python that have a word after them.
WITH_WORD = ("-W", "-X", "--check-hash-based-pycs")


def below(pid: int) -> Iterator[int]:
    """A process and all that it started, as far as their parents live."""
    yield pid
    for child in children(pid):
        yield from below(child)


def children(pid: int) -> Iterator[int]:
    """Return the processes that one started itself."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        yield from map(int, proc.read(f"/proc/{pid}/task/{thread}/children").split())


def parent(pid: int) -> int:
    """The process that started it; 0 where it is gone."""
    words = proc.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(words[1]) if len(words) > 1 else 0


def is_python(pid: int) -> bool:
    """Return whether a process runs a Python."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
    return _PYTHON.match(os.path.basename(program)) is not None


def started(pid: int) -> int:
    """Return when a process was started, in the kernel's ticks; 0 where it is gone."""
    words = proc.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(words[19]) if len(words) > 19 else 0


def age(pid: int) -> float:
    """For how many seconds a process has been there; 0 where it is gone."""
    since, up = started(pid), proc.read("/proc/uptime").split()
    return float(up[0]) - since / _TICKS if since and up else 0.0


def why_silent(pid: int, folder: str) -> str:
    """Return the reason why a Python does not report, from its command line and its environment."""
    words = proc.read(f"/proc/{pid}/cmdline").split("\0")[:-1]
    variables = proc.read(f"/proc/{pid}/environ").split("\0")
    return why(words, variables, os.path.join(folder, BOOT), _version(pid))


def why(words: list[str], variables: list[str], boot: str, version: tuple[int, ...]) -> str:
    """Return the reason, from the words of a command line and the variables of an environment."""
    if version and version < OLDEST:
        return f"Python {'.'.join(map(str, version))} is older than 3.8"
    for letter, meaning in (
        ("I", "-I leaves PYTHONPATH out"),
        ("E", "-E leaves PYTHONPATH out"),
        ("S", "-S leaves sitecustomize out"),
    ):
        if letter in _options(words):
            return meaning
    path = next((variable for variable in variables if variable.startswith(f"{PATH}=")), "")
    if not variables or variables == [""]:
        return "its environment cannot be read"
    if not path:
        return f"it was started without {PATH}"
    if boot not in path:
        return f"its {PATH} was replaced"
    return "the reason is not known"


def _options(words: list[str]) -> str:
    """The letters of a Python's options, up to its script, module or command."""
    letters, rest = "", iter(words[1:])
    for word in rest:
        if not word.startswith("-") or word in ("-", "--"):
            break
        if word in WITH_WORD:
            next(rest, "")
            continue
        if word.startswith("--"):
            continue
        plain = re.split(r"[cmWX]", word[1:])[0]
        letters += plain
        if "c" in word[1:] or "m" in word[1:]:
            break
    return letters


def _version(pid: int) -> tuple[int, ...]:
    """The version in the name of a program; empty where it has none."""
    try:
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ()
    return tuple(map(int, re.findall(r"\d+", program)[:2]))
