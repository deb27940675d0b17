"""Saved runs judged again: nothing is played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from envdoctor import __version__
from envdoctor.errors import NothingToCheck
from envdoctor.model.finding import Skipped
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.rules.engine.registry import catalogue
from envdoctor.saved.merging import merge
from envdoctor.saved.reading import SavedRun, read_runs
from envdoctor.verdict import triage
from envdoctor.verdict.diagnosis import Examined, Run, judged, report_on


def subjects_in(paths: Iterable[Path]) -> tuple[Subject, ...]:
    """The environments that the runs in these files are about. Raises UsageError for what is not a
    saved run.
    """
    return tuple(observations.subject for observations in merge(read_runs(paths))[1].values())


def report_again(
    paths: Sequence[Path], select: Iterable[str], ignore: Iterable[str], command: tuple[str, ...]
) -> Report:
    """The report on the runs in these files. Without `select`, judged by the rules that each
    subject was judged by when it was played.

    Raises UsageError for what is not a saved run or not a rule, NothingToCheck for runs that ended
    before anything was played.
    """
    return report_on_runs(read_runs(paths), select, ignore, command)


def report_on_runs(
    runs: Sequence[SavedRun], select: Iterable[str], ignore: Iterable[str], command: tuple[str, ...]
) -> Report:
    """The report on runs that were read already."""
    select = tuple(select)
    selected = triage.select_rules(catalogue(), select, ignore)
    run, known, codes = merge(runs)
    if not known:
        raise NothingToCheck(f"nothing was played in {', '.join(run.name for run in runs)}")
    examined = []
    for spec, observations in known.items():
        rules = [entry.load() for entry in selected if select or entry.code in codes[spec]]
        unknown = [] if select else sorted(codes[spec] - {entry.code for entry in catalogue()})
        more = tuple(
            Skipped(
                code,
                spec,
                DIRECT,
                "this envdoctor does not know the rule that the run was judged by",
            )
            for code in unknown
        )
        examined.append(
            Examined(
                replace(observations, skipped=(*observations.skipped, *more)),
                judged(observations, rules),
            )
        )
    return report_on(_as_of_now(run, command), examined)


def _as_of_now(run: Run, command: tuple[str, ...]) -> Run:
    """The run, judged by this version at this command."""
    return replace(run, version=__version__, command=command)
