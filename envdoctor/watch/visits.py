"""Visits to processes that were not started by us: Python 3.14 runs a script in another Python, in
its main thread. What a process answers, it appends to the journal of a directory of ours.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from functools import cache

from envdoctor.model.training_visits import Visit
from envdoctor.model.visiting import END, INSTANCES, PLACE, READING
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.watch.boot_folder import CODE, write_code
from envdoctor.watch.pages import JournalFile, PageReport

SINCE = (3, 14)
PATIENCE = 3.0  # seconds for an answer, after which it is said that there is none
LAST = 5.0  # seconds for the last answers of all
PAUSE = 0.02
ASKING = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])"
VERSION = "import sys; print(*sys.version_info[:2])"
ALONE = ("-I", "-S")

#: What runs in the process. A name of ours that it has already is put back.
SCRIPT = """\
import sys

try:
    visited = sys.modules.get({place!r})
    if visited is None:
        ours = lambda: [name for name in sys.modules if name.split(".")[0] == "envdoctor"]
        theirs = {{name: sys.modules.pop(name) for name in ours()}}
        sys.path.insert(0, {code!r})
        try:
            from envdoctor.probe.live.boot import Hook
        finally:
            sys.path.remove({code!r})
            for name in ours():
                del sys.modules[name]
            sys.modules.update(theirs)
        hook = Hook({folder!r}, {code!r}, {hook_modules!r})
        visited = type(sys)({place!r})
        visited.visitor = hook.load("envdoctor.probe.live.visit").Visitor(hook)
        sys.modules[{place!r}] = visited
    visited.visitor.answer({number}, {what!r})
except Exception:
    pass
"""


@dataclass
class Visited:
    """One process: its answers that were not taken yet, and what was asked last."""

    pid: int
    program: str
    asking: subprocess.Popen[bytes] | None = None
    asked: float = 0.0
    number: int = 0
    answered: int = 0
    failed: int = 0
    why: str = ""
    first: dict[str, int] | None = None
    last: dict[str, int] = field(default_factory=dict)
    answer: Visit | None = None
    came: bool = False

    @property
    def waits(self) -> bool:
        """True if an answer is due."""
        return self.number > max(self.answered, self.failed)


class Visits:
    """The visits to all processes of a training."""

    def __init__(self) -> None:
        self._directory = RunDirectory()
        folder = self._directory.path
        self._hook_modules = write_code(folder)
        self._journal = JournalFile(folder)
        self.page_report = PageReport()
        self.visited: dict[int, Visited] = {}

    def ask(self, pid: int, what: str = READING) -> None:
        """Ask a process that can be, and from which no answer is due."""
        visited = self.visited.get(pid)
        if visited is None:
            program = _program(pid)
            if not program:
                return
            visited, what = Visited(pid, program), INSTANCES
            self.visited[pid] = visited
            self._directory.keep_for(*self.visited)
        if visited.waits or (visited.why and time.monotonic() - visited.asked < PATIENCE):
            return
        visited.number, visited.asked = visited.number + 1, time.monotonic()
        folder = self._directory.path
        script = folder / f"{pid}.{visited.number}.py"
        known = {"place": PLACE, "folder": str(folder), "code": str(folder / CODE)}
        script.write_text(
            SCRIPT.format(
                **known, hook_modules=self._hook_modules, number=visited.number, what=what
            ),
            encoding="utf-8",
        )
        words = [visited.program, *ALONE, "-c", ASKING, str(pid), str(script)]
        try:
            visited.asking = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        except OSError as error:
            visited.failed = visited.number
            visited.why = f"{visited.program} cannot be started: {error.strerror}"

    def take(self) -> None:
        """Take the answers that came."""
        events = list(self._journal.read())
        self.page_report.take(events)
        for event in events:
            visited = self.visited.get(event.pid)
            if event.visit is not None and visited is not None:
                self._take(visited, event.visit)
        for visited in self.visited.values():
            _reap(visited)

    def _take(self, visited: Visited, answer: Visit) -> None:
        visited.answered = max(visited.answered, answer.number)
        visited.answer, visited.came, visited.why = answer, True, answer.why
        script = self._directory.path / f"{visited.pid}.{answer.number}.py"
        script.unlink(missing_ok=True)
        if answer.alive is not None:
            visited.last = dict(answer.alive)
            visited.first = visited.last if visited.first is None else visited.first

    def reading(self, pid: int) -> Visit | None:
        """The answer of a process that came since it was last asked for here."""
        visited = self.visited.get(pid)
        if visited is None or not visited.came:
            return None
        visited.came = False
        return visited.answer

    def why(self, pid: int) -> str:
        """Return the reason why a process that could answer does not, or nothing."""
        visited = self.visited.get(pid)
        if visited is None:
            return ""
        if visited.waits and time.monotonic() - visited.asked >= PATIENCE:
            return "it does not answer: its main thread runs no Python"
        return visited.why

    def leave(self, alive: set[int]) -> None:
        """Visit each process for the last time."""
        deadline = time.monotonic() + LAST
        left = {pid for pid, visited in self.visited.items() if pid in alive and not visited.why}
        asked: set[int] = set()
        while left and time.monotonic() < deadline:
            self.take()
            for pid in list(left):
                visited = self.visited[pid]
                if visited.why or (pid in asked and not visited.waits):
                    left.discard(pid)
                elif not visited.waits:
                    self.ask(pid, END)
                    asked.add(pid)
            time.sleep(PAUSE)

    def close(self) -> None:
        """Give all back. Where a process may still look for what it was asked, the directory stays
        until that has ended: Python would complain on the training's stderr.
        """
        self._journal.close()
        for visited in self.visited.values():
            if visited.asking is not None:
                visited.asking.kill()
                visited.asking.communicate()
        if any(visited.waits for visited in self.visited.values()):
            self._directory.leave()
        else:
            self._directory.close()


def _reap(visited: Visited) -> None:
    """See whether a question was put."""
    if visited.asking is None or visited.asking.poll() is None:
        return
    error = visited.asking.communicate()[1].decode(errors="replace").strip()
    if visited.asking.returncode and visited.waits:
        visited.failed = visited.number
        visited.why = (
            f"sys.remote_exec: {error.splitlines()[-1] if error else visited.asking.returncode}"
        )
    visited.asking = None


def _program(pid: int) -> str:
    """The interpreter of a process, where it is one that can be visited; nothing for others."""
    try:
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""
    return program if _version(program) >= SINCE else ""


@cache
def _version(program: str) -> tuple[int, ...]:
    try:
        done = subprocess.run(
            [program, *ALONE, "-c", VERSION],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return tuple(map(int, done.stdout.split()))
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
