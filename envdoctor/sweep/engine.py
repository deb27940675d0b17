"""The local engine: examinations as processes of their own, several at once, until every key has a
result. Nothing that one of them does reaches the driver.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from envdoctor.errors import ExitCode
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.run.supervise.interruption import stopping
from envdoctor.saved.lines_v1 import UnreadableError, shown
from envdoctor.sweep.ledger import LEASE_SECONDS, PAGES, RUNS, Driver, Ledger
from envdoctor.sweep.plans import Examination
from envdoctor.sweep.processors import processor_sets
from envdoctor.sweep.results import Judged, Result, judged_from, unjudged, why_inconclusive

RENEW_SECONDS = LEASE_SECONDS / 10
LONGEST = 4 * 3600.0  # seconds of one examination, whose own limits end it much earlier
TERM_SECONDS = 10.0  # for an examination to tidy up when it is asked to end
#: An exit code that will be the same next time: the words mean nothing there.
FINAL = (ExitCode.USAGE, ExitCode.NOTHING_TO_CHECK)

Tell = Callable[[Result, int], None]


@dataclass
class Running:
    """An examination that runs. `processors` are those it has for itself."""

    examination: Examination
    process: subprocess.Popen[bytes]
    processors: tuple[int, ...]
    attempt: int
    began: float = field(default_factory=time.monotonic)


@dataclass
class Engine:
    """One driver at a ledger. `tell` is called with each result, and how many are left.
    `memory` is the ceiling of each examination in bytes; 0 is its own affair.
    `interrupted` says that it was asked to end before all was done.
    """

    ledger: Ledger
    driver: Driver
    jobs: int
    retries: int
    tell: Tell
    memory: int = 0
    interrupted: bool = False
    _ended: SimpleQueue[Running | None] = field(default_factory=SimpleQueue)
    _running: list[Running] = field(default_factory=list)
    _free: list[tuple[int, ...]] = field(default_factory=list)
    _waiting: deque[Examination] = field(default_factory=deque)
    _renewed: float = field(default_factory=time.monotonic)

    def run(self, examinations: Iterable[Examination]) -> None:
        """Examine what has no result yet and is not another driver's."""
        done = self.ledger.done()
        self._waiting = deque(one for one in examinations if one.key not in done)
        self._free = list(processor_sets(self.jobs))
        with stopping(self._stop):
            try:
                self._fill()
                while self._running and not self.interrupted:
                    self._wait()
                    self._fill()
            finally:
                self._end_all()

    def _stop(self) -> None:
        self.interrupted = True
        self._ended.put(None)

    def _fill(self) -> None:
        """Begin as many as there are processors for."""
        while self._free and self._waiting and not self.interrupted:
            examination = self._waiting.popleft()
            if self.ledger.claim(examination.key, self.driver):
                self._begin(examination, self._free.pop(0), 1)

    def _begin(self, examination: Examination, processors: tuple[int, ...], attempt: int) -> None:
        own = self._own_words(examination)
        words = [
            *(sys.executable, "-P", "-m", "envdoctor.cli.examination"),
            *(str(os.getpid()), ",".join(map(str, processors)) or "-", str(len(own))),
            *examination.words,
            *own,
        ]
        for path in self._files(examination):
            path.unlink(missing_ok=True)
        with self._file(examination, ".err").open("wb") as said:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=examination.directory,
                start_new_session=True,  # Ctrl-C in the terminal is the driver's affair
            )
        running = Running(examination, process, processors, attempt)
        self._running.append(running)
        self.driver.note_child(examination.key, process.pid)
        Thread(target=self._await, args=(running,), daemon=True).start()

    def _own_words(self, examination: Examination) -> list[str]:
        """What the driver wants besides what the user asked for."""
        words = ["--format", "html"]
        for name, ending in (("--save", ".jsonl"), ("--result", ".json"), ("--output", ".html")):
            words += [name, str(self._file(examination, ending))]
        words += ["--memory-limit", f"{self.memory >> 20}M"] if self.memory else []
        return words

    def _file(self, examination: Examination, ending: str) -> Path:
        return self.driver.folder / f"{examination.key}{ending}"

    def _files(self, examination: Examination) -> list[Path]:
        return [self._file(examination, end) for end in (".jsonl", ".json", ".html", ".err")]

    def _await(self, running: Running) -> None:
        with suppress(subprocess.TimeoutExpired):
            running.process.wait(LONGEST)
        self._ended.put(running)

    def _wait(self) -> None:
        """Until one ends, or other machines have to be told that this driver lives."""
        ended = None
        with suppress(Empty):
            ended = self._ended.get(timeout=RENEW_SECONDS)
        if time.monotonic() - self._renewed >= RENEW_SECONDS:
            self._renewed = time.monotonic()
            self.ledger.renew(one.examination.key for one in self._running)
        if ended is not None:
            self._conclude(ended)

    def _conclude(self, ended: Running) -> None:
        """Publish what came out, or begin again."""
        if ended.process.returncode is None:
            _end(ended.process)
        self._running.remove(ended)
        code = ended.process.returncode
        judged = self._judged(ended.examination)
        if judged is None and code not in FINAL and ended.attempt <= self.retries:
            self._begin(ended.examination, ended.processors, ended.attempt + 1)
            return
        self._free.append(ended.processors)
        identity, now = ended.examination.identity, time.time()
        if judged is None:
            reason = self._why(ended)
            result = unjudged(identity, reason, ended.attempt, now)
        else:
            reason = why_inconclusive(judged) if judged.verdict == INCONCLUSIVE else ""
            result = Result(identity, judged, reason, ended.attempt, now)
        self._publish(ended.examination, result)

    def _publish(self, examination: Examination, result: Result) -> None:
        for kind, ending in ((RUNS, ".jsonl"), (PAGES, ".html")):
            with suppress(FileNotFoundError):  # it ended before it wrote any
                self._file(examination, ending).replace(self.ledger.file(kind, result.key))
        published = self.ledger.publish(result)
        self.ledger.release(result.key)
        for path in self._files(examination):
            path.unlink(missing_ok=True)
        if published:
            self.tell(result, len(self._waiting) + len(self._running))

    def _judged(self, examination: Examination) -> Judged | None:
        """What it found; None where it did not come so far."""
        try:
            text = self._file(examination, ".json").read_text(encoding="ascii")
            return judged_from(text, os.path.expanduser("~"))
        except (OSError, ValueError, UnreadableError):
            return None

    def _why(self, ended: Running) -> str:
        """How an examination ended that found nothing out, in a sentence."""
        try:
            said = self._file(ended.examination, ".err").read_text("utf-8", "replace")
        except OSError:
            said = ""
        last = shown_line(said)
        if ended.process.returncode in FINAL:
            return last or "it could not be examined"
        times = f"{ended.attempt} times" if ended.attempt > 1 else "once"
        how = how_it_ended(ended.process.returncode)
        return f"the examination {how} {times}" + (f": {last}" if last else "")

    def _end_all(self) -> None:
        """Ask all that run to end, and give their keys back."""
        for one in self._running:
            one.process.terminate()
        deadline = time.monotonic() + TERM_SECONDS
        for one in self._running:
            with suppress(subprocess.TimeoutExpired):
                one.process.wait(max(0.0, deadline - time.monotonic()))
            if one.process.returncode is None:
                one.process.kill()
                one.process.wait()
            self.ledger.release(one.examination.key)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End one that took too long."""
    process.terminate()
    try:
        process.wait(TERM_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def how_it_ended(code: int) -> str:
    """`was killed by SIGKILL`, `ended with exit code 70`."""
    import signal

    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def shown_line(said: str) -> str:
    """The last line that a program said, without our name in front."""
    lines = [line for line in said.splitlines() if line.strip()]
    return shown(lines[-1].strip().removeprefix("envdoctor: "), 300) if lines else ""
