"""Reads the stacks that faulthandler wrote: text in, frames out, and which of them is the subject's
own code.

faulthandler writes one block a thread, the most recent call first; the doctor says before those of
each process whose they are:

    Process 31 (python train.py):
    Current thread 0x00007f3a (most recent call first):
      File "/home/me/env.py", line 12 in step
      File "/home/me/train.py", line 40 in <module>
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from envdoctor.frameworks import HOSTING_FILES
from envdoctor.model.finding import Location
from envdoctor.rules.engine.view import View

Stack = tuple[Location, ...]  # the frames of one thread, innermost first

_PROCESS = re.compile(r"^Process (?P<pid>\d+) \(")
_HEAD = re.compile(r"^(Current thread|Thread) .*\(most recent call first\)")
_FRAME = re.compile(r'^\s+File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+?)\s*$')
_OURS = re.compile(r'^\s+File "[^"]*\.pyz[/\\](envdoctor[/\\]|__main__\.py)')
_STANDARD_LIBRARY = re.compile(
    r"/lib(64)?/python[\d.]+/(?!site-packages|dist-packages)|/python[\d.]*/lib/(?!site-packages)",
    re.IGNORECASE,
)
_INSTALLED = re.compile(r"/(site|dist)-packages/")
JOIN = "join"  # the method of a thread that waits for its end
#: Those who host environments.
_HOSTS = re.compile(
    rf"\.pyz[/\\]|/envdoctor/(probe|model)/|/(site|dist)-packages/({'|'.join(HOSTING_FILES)})"
)


def parse_stacks(stacks: str) -> tuple[Stack, ...]:
    """The frames of each thread in a faulthandler text, the current thread first: it crashed, or it
    is the one that took the doctor's signal, which is the main one. Lines that are not frames are
    left out.
    """
    current: list[list[Location]] = []
    others: list[list[Location]] = []
    thread: list[Location] = []
    for line in stacks.splitlines():
        head, frame = _HEAD.match(line), _FRAME.match(line)
        if head:
            thread = []
            (current if head[1] == "Current thread" else others).append(thread)
        elif frame:
            thread.append(Location.of(frame.groupdict()))
    return tuple(tuple(thread) for thread in current + others if thread)


def main_first(stacks: str) -> str:
    """Return the text with the current thread of each process before its others: faulthandler
    writes the newest first, and helpers of a library would fill the space that a report has for it.
    The frames of the probe, below all others, are left out.
    """
    blocks: list[list[str]] = [[]]
    for line in stacks.splitlines():
        if _OURS.match(line):
            continue
        if _PROCESS.match(line) or _HEAD.match(line):
            blocks.append([])
        blocks[-1].append(line)
    ordered: list[list[str]] = []
    behind = 0  # where the threads of the process at hand begin
    for block in filter(None, blocks):
        if _PROCESS.match(block[0]):
            ordered.append(block)
            behind = len(ordered)
        elif block[0].startswith("Current thread"):
            ordered.insert(behind, block)
        else:
            ordered.append(block)
    return "\n".join(line for block in ordered for line in block if line.strip())


def user_stack(stacks: str, view: View, through: str = "") -> Stack:
    """The subject's own frames of the thread that runs them, innermost first; empty when no frame
    can be its.

    The subject may be installed like everything else. So its known files come first, then what
    is not installed, then what is installed but belongs neither to Python nor to those who host
    environments. `through` names a function that the thread must be in: a recorder of the subject's
    that waits for frames is not what hangs in close().
    """
    threads = parse_stacks(stacks)
    threads = (
        tuple(thread for thread in threads if any(frame.function == through for frame in thread))
        or threads
    )
    for belongs in _tests(view):
        for thread in threads:
            own = tuple(frame for frame in thread if belongs(frame.file))
            if own:
                return own
    return ()


def where_it_was(stacks: str, view: View, through: str = "") -> Location | None:
    """The innermost frame that is the subject's own code."""
    own = user_stack(stacks, view, through)
    return own[0] if own else None


def own_frame(stacks: str, through: str) -> Location | None:
    """The innermost frame of the first process that is neither Python's nor of those who host
    environments, where nothing is known of what the subject's own code is. `through` names a
    function that the thread is in.
    """
    first = re.split(r"(?m)^(?=Process \d+ \()", stacks)
    threads = parse_stacks(next((text for text in first if text.strip()), ""))
    inside = [thread for thread in threads if any(frame.function == through for frame in thread)]
    return innermost_own(frame for thread in inside or threads for frame in thread)


def innermost_own(frames: Iterable[Location]) -> Location | None:
    """The innermost frame that is neither Python's nor of those who host environments: one that is
    not installed, where there is one.
    """
    own = [frame for frame in frames if not _is_foreign(frame.file)]
    return next((frame for frame in own if not is_installed(frame.file)), None) or (
        own[0] if own else None
    )


def is_installed(file: str) -> bool:
    """True if a file is one of an installed package."""
    return bool(_INSTALLED.search(_slashes(file)))


def is_in_library(file: str) -> bool:
    """True if a file is one of an installed package, of a framework or of Python itself."""
    return is_installed(file) or _is_foreign(file)


def process_of(stacks: str, frame: Location) -> int | None:
    """The process with a frame in its stacks; None where several have it, or where the process is
    not known.
    """
    result, pid = set(), None
    for line in stacks.splitlines():
        head, parts = _PROCESS.match(line), _FRAME.match(line)
        pid = int(head[1]) if head else pid
        if parts and Location.of(parts.groupdict()) == frame:
            result.add(pid)
    return result.pop() if len(result) == 1 else None


def joined_threads(stacks: str, frame: Location) -> Counter[Location]:
    """The innermost own frames of the other threads of a process, and how many threads are in each,
    where the thread with a frame waits in join() of threading; nothing elsewhere.
    """
    for process in re.split(r"(?m)^(?=Process \d+ \()", stacks):
        threads = parse_stacks(process)
        waiting = next((thread for thread in threads if frame in thread), None)
        if waiting is None:
            continue
        inner = waiting[: waiting.index(frame)]
        if not any(
            each.function == JOIN and _slashes(each.file).endswith("/threading.py")
            for each in inner
        ):
            return Counter()
        others = (innermost_own(thread) for thread in threads if thread is not waiting)
        return Counter(other for other in others if other is not None)
    return Counter()


def entered_by(stacks: str, view: View) -> str:
    """The name of the subject's function that was called from outside: `reset`, `step`, ...;
    empty when unknown.
    """
    own = user_stack(stacks, view)
    return own[-1].function if own else ""


def _tests(view: View) -> Iterator[Callable[[str], bool]]:
    known = known_files(view)
    yield lambda file: file in known
    yield lambda file: _is_foreign(file) is False and not is_installed(file)
    yield lambda file: _is_foreign(file) is False


def is_subjects(file: str, view: View) -> bool:
    """Return True if a file is certainly the subject's own: one that defines it, one of its
    package, or one that is not installed.
    """
    if file in known_files(view):
        return True
    if _is_foreign(file):
        return False
    package = f"/{(view.survey.owner or view.survey.env_class or '?').split('.')[0]}/"
    return not is_installed(file) or package in _slashes(file)


def known_files(view: View) -> frozenset[str]:
    """The files that define the subject's class and its methods."""
    return frozenset(file for file in view.survey.files if not _is_foreign(file))


def _is_foreign(file: str) -> bool:
    path = _slashes(file)
    return file.startswith("<") or bool(_STANDARD_LIBRARY.search(path) or _HOSTS.search(path))


def _slashes(file: str) -> str:
    return file.replace("\\", "/")
