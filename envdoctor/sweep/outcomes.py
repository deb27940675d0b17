"""The results of an examination, from the files that it wrote to a published result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from envdoctor.errors import ExitCode
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.rules.evidence.deaths import KILLED, how_it_ended
from envdoctor.saved.lines_v1 import UnreadableError, shown
from envdoctor.sweep.ledger import PAGES, RUNS, Driver, Ledger
from envdoctor.sweep.plans import Examination
from envdoctor.sweep.results import Judged, Result, judged_from, unjudged, why_inconclusive

#: An exit code that will be the same next time: the words mean nothing there.
FINAL = (ExitCode.USAGE, ExitCode.NOTHING_TO_CHECK)
#: Those of an examination that wrote all that it was to write.
JUDGED_CODES = (ExitCode.OK, ExitCode.FINDINGS, ExitCode.INCONCLUSIVE)
SAVED, JUDGED, PAGE, SAID = ENDINGS = (".jsonl", ".json", ".html", ".err")

Tell = Callable[[Result], None]


@dataclass(frozen=True)
class ExaminationOutcome:
    """The end of an examination: the exit code of its process, how often it was begun, and the node
    that it ran on. `lost` says, in place of a code, how the machine below it ended.
    """

    examination: Examination
    code: int
    attempt: int
    node: str = ""
    lost: str = ""


@dataclass(frozen=True)
class ResultPublisher:
    """The files of one driver's examinations, and the publishing of their results. `retries` is how
    often one that died is begun again; `tell` is called with each result. `troubles` are sentences
    on files that examinations could not write.
    """

    ledger: Ledger
    driver: Driver
    retries: int
    tell: Tell
    troubles: list[str] = field(default_factory=list)

    def words(self, examination: Examination, memory: int) -> tuple[str, ...]:
        """Return the driver's own options besides the user's."""
        return own_words(lambda ending: str(self.file(examination, ending)), memory)

    def file(self, examination: Examination, ending: str) -> Path:
        """Return the path of one file of an examination."""
        return self.driver.folder / f"{examination.key}{ending}"

    def clear(self, examination: Examination) -> None:
        """Remove what an earlier attempt wrote."""
        for ending in ENDINGS:
            self.file(examination, ending).unlink(missing_ok=True)

    def again(self, outcome: ExaminationOutcome) -> bool:
        """Return True if it died before it had a result, and has to be begun again."""
        return (
            self._judged(outcome.examination) is None
            and outcome.code not in FINAL
            and outcome.attempt <= self.retries
        )

    def publish(self, outcome: ExaminationOutcome) -> None:
        """Make its result known, and give its key back."""
        examination, judged, now = (
            outcome.examination,
            self._judged(outcome.examination),
            time.time(),
        )
        identity = examination.identity
        if judged is None:
            reason = self._why(outcome)
            result = unjudged(identity, reason, outcome.attempt, now, outcome.node)
        else:
            reason = why_inconclusive(judged) if judged.verdict == INCONCLUSIVE else ""
            result = Result(identity, judged, reason, outcome.attempt, now, outcome.node)
            if outcome.code not in JUDGED_CODES:
                self.troubles.append(f"{identity.label}: {self._last_line(examination)}")
        for kind, ending in ((RUNS, SAVED), (PAGES, PAGE)):
            file = self.file(examination, ending)
            if file.exists():  # else it ended before it wrote any
                file.replace(self.ledger.file(kind, result.key))
        published = self.ledger.publish(result, self.driver)
        self.ledger.release(result.key)
        self.clear(examination)
        if published:
            self.tell(result)

    def _judged(self, examination: Examination) -> Judged | None:
        """Return its result; None without one."""
        try:
            text = self.file(examination, JUDGED).read_text(encoding="ascii")
            return judged_from(text, os.path.expanduser("~"))
        except (OSError, ValueError, UnreadableError):
            return None

    def _why(self, outcome: ExaminationOutcome) -> str:
        """Return how an examination without a result ended, in a sentence."""
        last = self._last_line(outcome.examination)
        if outcome.code in FINAL and not outcome.lost:
            return last or "it could not be examined"
        times = f"{outcome.attempt} times" if outcome.attempt > 1 else "once"
        how = outcome.lost or f"the examination {how_it_ended(outcome.code, KILLED)}"
        return f"{how} {times}" + (f": {last}" if last else "")

    def _last_line(self, examination: Examination) -> str:
        """The last line that an examination said."""
        try:
            return shown_line(self.file(examination, SAID).read_text("utf-8", "replace"))
        except OSError:
            return ""


def own_words(path: Callable[[str], str], memory: int) -> tuple[str, ...]:
    """Return the driver's options for `check`: its files, and a ceiling in bytes if it is not 0."""
    words = ["--format", "html"]
    for name, ending in (("--save", SAVED), ("--result", JUDGED), ("--output", PAGE)):
        words += [name, path(ending)]
    words += ["--memory-limit", f"{memory >> 20}M"] if memory else []
    return tuple(words)


def shown_line(said: str) -> str:
    """The last line that a program said, without our name in front."""
    lines = [line for line in said.splitlines() if line.strip()]
    return shown(lines[-1].strip().removeprefix("envdoctor: "), 300) if lines else ""
