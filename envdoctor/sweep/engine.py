"""The local engine: examinations as processes of their own, several at once, until every key has a
result. Nothing that one of them does reaches the driver.
"""

from __future__ import annotations

import subprocess
import time
from collections import deque
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread

from envdoctor.run.supervise.interruption import stopping
from envdoctor.sweep.examiner import Examiner, Forked
from envdoctor.sweep.ledger import LEASE_SECONDS
from envdoctor.sweep.outcomes import SAID, ExaminationOutcome, ResultPublisher
from envdoctor.sweep.plans import Examination
from envdoctor.sweep.processors import processor_sets
from envdoctor.sweep.surroundings import Surroundings

RENEW_SECONDS = LEASE_SECONDS / 10
LONGEST = 4 * 3600.0  # seconds of one examination, whose own limits end it much earlier
TERM_SECONDS = 10.0  # for an examination to tidy up when it is asked to end


@dataclass
class RunningExamination:
    """An examination that runs. `processors` are those it has for itself."""

    examination: Examination
    process: Forked
    processors: tuple[int, ...]
    attempt: int


@dataclass
class Engine:
    """One driver at a ledger, which examines here. `memory` is the ceiling of each examination in
    bytes; 0 is its own affair. `interrupted` says that it was asked to end before all was done.
    """

    publisher: ResultPublisher
    jobs: int
    memory: int = 0
    surroundings: Surroundings = field(default_factory=Surroundings)
    interrupted: bool = False
    _ended: SimpleQueue[RunningExamination | None] = field(default_factory=SimpleQueue)
    _running: list[RunningExamination] = field(default_factory=list)
    _free: list[tuple[int, ...]] = field(default_factory=list)
    _waiting: deque[Examination] = field(default_factory=deque)
    _examiner: Examiner | None = None
    _ending: ExitStack = field(default_factory=ExitStack)
    _renewed: float = field(default_factory=time.monotonic)

    def run(self, examinations: Iterable[Examination]) -> None:
        """Examine what has no result yet and is not another driver's."""
        done = self.publisher.ledger.done()
        self._waiting = deque(
            examination for examination in examinations if examination.key not in done
        )
        self._free = list(processor_sets(self.jobs))
        with self._ending, stopping(self._stop):
            try:
                self._fill()
                while self._running and not self.interrupted:
                    self._wait()
                    self._fill()
            finally:
                self._end_all()

    @property
    def left(self) -> int:
        """The number of examinations of this driver that have no result yet."""
        return len(self._waiting) + len(self._running)

    def _stop(self) -> None:
        self.interrupted = True
        self._ended.put(None)

    def _fill(self) -> None:
        """Begin as many as there are processors for."""
        while self._free and self._waiting and not self.interrupted:
            examination = self._waiting.popleft()
            if self.publisher.ledger.claim(examination.key, self.publisher.driver):
                self._begin(examination, self._free.pop(0), 1)

    def _begin(self, examination: Examination, processors: tuple[int, ...], attempt: int) -> None:
        own = self.publisher.words(examination, self.memory)
        words = [
            ",".join(map(str, processors)) or "-",
            *(self.surroundings.as_text(), str(len(own))),
            *examination.words,
            *own,
        ]
        self.publisher.clear(examination)
        said = self.publisher.file(examination, SAID)
        process = self._examining().begin(examination.directory, said, words)
        running = RunningExamination(examination, process, processors, attempt)
        self._running.append(running)
        self.publisher.driver.note_child(examination.key, process.pid)
        Thread(target=self._await, args=(running,), daemon=True).start()

    def _examining(self) -> Examiner:
        """Return the process that begins examinations; another one where an examination had it
        killed.
        """
        if self._examiner is None or not self._examiner.is_alive:
            self._examiner = self._ending.enter_context(Examiner())
        return self._examiner

    def _await(self, running: RunningExamination) -> None:
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
            self.publisher.ledger.renew(running.examination.key for running in self._running)
        if ended is not None:
            self._conclude(ended)

    def _conclude(self, ended: RunningExamination) -> None:
        """Publish what came out, or begin again."""
        code = ended.process.returncode
        if code is None:
            code = end_process(ended.process)
        self._running.remove(ended)
        outcome = ExaminationOutcome(ended.examination, code, ended.attempt)
        if self.publisher.again(outcome):
            self._begin(ended.examination, ended.processors, ended.attempt + 1)
            return
        self._free.append(ended.processors)
        self.publisher.publish(outcome)

    def _end_all(self) -> None:
        """Ask all that run to end, and give their keys back."""
        for running in self._running:
            running.process.terminate()
        deadline = time.monotonic() + TERM_SECONDS
        for running in self._running:
            with suppress(subprocess.TimeoutExpired):
                running.process.wait(max(0.0, deadline - time.monotonic()))
            if running.process.returncode is None:
                running.process.kill()
                running.process.wait()
            self.publisher.ledger.release(running.examination.key)


def end_process(process: subprocess.Popen[bytes] | Forked) -> int:
    """End one that took too long; its exit code."""
    process.terminate()
    try:
        return process.wait(TERM_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
