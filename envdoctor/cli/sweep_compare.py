"""A comparison from its words to its exit code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

from envdoctor.cli import streams, writing
from envdoctor.cli.sweep_plan import Planner, PlanOptions, memory_of_each
from envdoctor.cli.sweep_run import versions_of
from envdoctor.cli.sweep_sides import SideRequest, sides
from envdoctor.errors import ExitCode, NothingToCheck, UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.reporters._showing import clean
from envdoctor.request.settings import Settings
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.sweep import matrix, texts
from envdoctor.sweep.comparing import SweepComparison, compare
from envdoctor.sweep.engine import Engine
from envdoctor.sweep.ledger import Driver, Ledger
from envdoctor.sweep.matrix import Column, Matrix
from envdoctor.sweep.outcomes import ResultPublisher
from envdoctor.sweep.plans import PlanEntry
from envdoctor.sweep.processors import default_jobs
from envdoctor.sweep.results import Result, latest
from envdoctor.sweep.sides import ComparedSide
from envdoctor.sweep.summary import settled
from envdoctor.sweep.surroundings import Surroundings

RETRIES = 1


def folders(words: Sequence[str], settings: Settings) -> Matrix:
    """Two sweeps. Raises UsageError for what is none, NothingToCheck where they share nothing."""
    if len(words) != 2:
        raise UsageError(
            "name the folders of two sweeps, the earlier one first; or environments with two of"
            " --python, --ref or --with"
        )
    columns = []
    for word in words:
        ledger = Ledger(Path(word))
        columns.append(_column(word, ledger, latest(ledger.results())[0], settings))
    return _compared(columns)


@dataclass(frozen=True)
class SideExaminer:
    """Examines environments on one side after the other, now. `jobs` is how many at once, None as
    many as there are processors for.
    """

    specs: Sequence[str]
    settings: Settings
    options: PlanOptions
    jobs: int | None
    quiet: int

    def compare(self, asked: SideRequest) -> Matrix:
        """All sides. Raises UsageError."""
        run = RunDirectory()
        try:
            with sides(asked, self.settings, run.path) as compared:
                columns = [
                    self._examined(side, run.path / f"sweep-{number}")
                    for number, side in enumerate(compared)
                ]
        finally:
            run.close()
        return _compared(columns)

    def _examined(self, side: ComparedSide, folder: Path) -> Column:
        """Examine one side. Raises KeyboardInterrupt where that was interrupted."""
        if side.reason:
            return Column(side.name, reason=side.reason)
        ledger = Ledger(folder, make=True)
        with chdir(side.directory):  # SPECs name files of that side
            planner = Planner(self.settings, self._options(side), side.directory)
            planned = planner.examinations(ledger, planner.requests(map(PlanEntry, self.specs)))
        many = self.jobs or default_jobs()

        def tell(result: Result) -> None:
            result = side.settled(result)
            self._say(f"{side.name}: {result.label}: {texts.verdict(result)}")
            if side.is_outside(result):
                self._say("  its class is not in the repository: a commit may not change it")

        with Driver(ledger) as driver:
            memory = memory_of_each(self.settings, planner.options, many)
            surroundings = Surroundings(dict(side.variables))
            engine = Engine(
                ResultPublisher(ledger, driver, RETRIES, tell), many, memory, surroundings
            )
            engine.run(planned)
        if engine.interrupted:
            raise KeyboardInterrupt
        results = [side.settled(result) for result in latest(ledger.results())[0]]
        return _column(side.name, ledger, results, self.settings)

    def _options(self, side: ComparedSide) -> PlanOptions:
        """Return the side's options, which are equal on every side: a commit's own configuration is
        not read.
        """
        options = replace(self.options, asked=replace(self.options.asked, python=side.python))
        if not side.commit:
            return options
        config = self.settings.config
        if config is None:
            return replace(options, config=None, no_config=True)
        return replace(options, config=Path(config.file).absolute())

    def _say(self, line: str) -> None:
        if self.quiet == 0:
            streams.say(clean(line, unicode=False) + "\n")


def _column(name: str, ledger: Ledger, results: Sequence[Result], settings: Settings) -> Column:
    """A side, as a team decided."""
    counted = settled(results, lambda report: settings.settle(report, None))
    return Column(name, counted, versions_of(ledger, results))


def _compared(columns: Sequence[Column]) -> Matrix:
    """Each side that was examined, with the one before it. Raises NothingToCheck."""
    there = [column for column in columns if not column.reason]
    if len(there) < 2:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in columns if each.reason)
        raise NothingToCheck(f"fewer than two sides could be examined: {reasons}")
    steps = tuple(
        (was.name, now.name, compare(was.results, now.results, (was.versions, now.versions)))
        for was, now in itertools.pairwise(there)
    )
    if not any(step.pairs for _, _, step in steps):
        raise NothingToCheck("no environment was examined on both sides: nothing can be compared")
    return Matrix(tuple(columns), steps)


def tell(change: Matrix, as_table: bool, fail_on: str, allow_inconclusive: bool, quiet: int) -> int:
    """Show what changed; the exit code."""
    every: list[SweepComparison] = [step for _, _, step in change.steps]
    if quiet < 2:
        unicode = writing.is_unicode()
        writing.write(
            matrix.matrix_text(change, writing.width(), unicode)
            if as_table
            else texts.comparison_text(every[0], unicode)
        )
    if any(step.failing(fail_on) for step in every):
        return ExitCode.FINDINGS
    unclear = any(step.lost for step in every) or bool(change.missing)
    return ExitCode.INCONCLUSIVE if unclear and not allow_inconclusive else ExitCode.OK
