"""The folder of a sweep where saved runs are named: its results as they are, or its runs judged
anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from envdoctor import __version__
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.report import Report
from envdoctor.saved.judging import report_again
from envdoctor.sweep.ledger import RUNS, Ledger, is_ledger
from envdoctor.sweep.results import Result, latest
from envdoctor.sweep.summary import incomplete, report_of
from envdoctor.verdict import triage


@dataclass(frozen=True)
class Swept:
    """The results of some folders that count, worst first; how many environments have none; and the
    saved runs of those that have one.
    """

    results: tuple[Result, ...]
    unexamined: int
    runs: tuple[Path, ...]

    @property
    def is_current(self) -> bool:
        """True if all results are of this version."""
        return all(result.judged.version in ("", __version__) for result in self.results)

    def report(self, command: tuple[str, ...]) -> Report:
        """The report on the results as they are."""
        return report_of(self.results, command, self.unexamined)


def folders_in(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The folders of sweeps among what is named. Raises UsageError for some of each."""
    paths = tuple(paths)
    ledgers = tuple(path for path in paths if is_ledger(path))
    if ledgers and len(ledgers) < len(paths):
        raise UsageError("name saved runs or folders of sweeps, not some of each")
    return ledgers


def read(folders: Sequence[Path]) -> Swept:
    """Read the results of sweeps. Raises UsageError, NothingToCheck where a result is missing."""
    ledgers = [Ledger(folder) for folder in folders]
    results, _ = latest(result for ledger in ledgers for result in ledger.results())
    if not results:
        raise NothingToCheck(f"no result in {', '.join(map(str, folders))}")
    planned = {examination.key for ledger in ledgers for examination in ledger.planned()}
    done = {key for ledger in ledgers for key in ledger.done()}
    runs = [ledger.file(RUNS, result.key) for result in results for ledger in ledgers]
    return Swept(results, len(planned - done), tuple(path for path in runs if path.exists()))


def report_on(
    paths: Sequence[Path],
    select: Sequence[str],
    ignore: Sequence[str],
    command: tuple[str, ...],
    evidence: bool = False,
) -> Report:
    """The report on saved runs, or on sweeps: on these from their results, unless `evidence` is
    wanted, or other rules or another version are to judge. Raises UsageError.
    """
    folders = folders_in(paths)
    if not folders:
        return report_again(paths, select, ignore, command)
    swept = read(folders)
    if not (evidence or select or ignore) and swept.is_current:
        return swept.report(command)
    if not swept.runs:
        return swept.report(command)
    report = report_again(swept.runs, select, ignore, command)
    gaps = "; ".join(filter(None, (report.incomplete, incomplete(swept.results, swept.unexamined))))
    report = replace(report, incomplete=gaps)
    return replace(report, verdict=triage.verdict_on(report))


def runs_in(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The saved runs that are named, those of folders one by one."""
    folders = folders_in(paths)
    return read(folders).runs if folders else tuple(paths)
