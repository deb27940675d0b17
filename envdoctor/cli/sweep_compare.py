"""A comparison from its words to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from envdoctor.cli import writing
from envdoctor.cli.sweep_plan import Options, Planner, memory_of_each
from envdoctor.cli.sweep_run import versions_of
from envdoctor.errors import ExitCode, NothingToCheck, UsageError
from envdoctor.reporters._showing import clean
from envdoctor.request import choices
from envdoctor.request.settings import Settings
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.sweep import texts
from envdoctor.sweep.comparing import Comparison, compare
from envdoctor.sweep.engine import Engine
from envdoctor.sweep.ledger import Driver, Ledger
from envdoctor.sweep.plans import Entry
from envdoctor.sweep.processors import default_jobs
from envdoctor.sweep.results import Result, latest
from envdoctor.sweep.summary import settled


def folders(words: Sequence[str], settings: Settings) -> Comparison:
    """Two sweeps. Raises UsageError for what is none, NothingToCheck where they share nothing."""
    if len(words) != 2:
        raise UsageError(
            "name the folders of two sweeps, the earlier one first; or environments with"
            " --python BEFORE --python AFTER"
        )
    return _compared((Ledger(Path(words[0])), Ledger(Path(words[1]))), settings)


def interpreters(
    specs: Sequence[str],
    pythons: Sequence[str],
    settings: Settings,
    options: Options,
    jobs: int | None,
    quiet: int,
) -> Comparison:
    """Environments examined in two interpreters, now. Raises UsageError."""
    if len(pythons) != 2:
        raise UsageError("name two interpreters: --python BEFORE --python AFTER")
    run = RunDirectory()
    try:
        ledgers = []
        for number, python in enumerate(pythons):
            ledger = Ledger(run.path / f"sweep-{number}", make=True)
            named = replace(
                options, asked=replace(options.asked, python=choices.interpreter(python))
            )
            _examine(specs, Planner(settings, named, os.getcwd()), ledger, jobs, quiet)
            ledgers.append(ledger)
        return _compared((ledgers[0], ledgers[1]), settings)
    finally:
        run.close()


def _examine(
    specs: Sequence[str], planner: Planner, ledger: Ledger, jobs: int | None, quiet: int
) -> None:
    """Examine all, or end as interrupted."""
    found = planner.examinations(ledger, planner.requests(map(Entry, specs)))
    many = jobs or default_jobs()

    def tell(result: Result, _left: int) -> None:
        if quiet == 0:
            line = f"{planner.options.asked.python}: {result.label}: {texts.verdict(result)}"
            sys.stderr.write(clean(line, unicode=False) + "\n")

    with Driver(ledger) as driver:
        memory = memory_of_each(planner.settings, planner.options, many)
        engine = Engine(ledger, driver, many, 1, tell, memory)
        engine.run(found)
    if engine.interrupted:
        raise KeyboardInterrupt


def _compared(ledgers: tuple[Ledger, Ledger], settings: Settings) -> Comparison:
    before, after = (latest(one.results())[0] for one in ledgers)
    was, now = (settled(one, lambda found: settings.settle(found, None)) for one in (before, after))
    found = compare(was, now, (versions_of(ledgers[0], before), versions_of(ledgers[1], after)))
    if not found.pairs:
        raise NothingToCheck("no environment was examined on both sides: nothing can be compared")
    return found


def tell(found: Comparison, fail_on: str, allow_inconclusive: bool, quiet: int) -> int:
    """Show what changed; the exit code."""
    if quiet < 2:
        writing.write(texts.comparison_text(found, writing.is_unicode()))
    if found.failing(fail_on):
        return ExitCode.FINDINGS
    return ExitCode.INCONCLUSIVE if found.lost and not allow_inconclusive else ExitCode.OK
