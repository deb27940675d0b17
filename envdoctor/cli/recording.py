"""Writing the baseline, and the result of an examination."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from envdoctor.cli import writing
from envdoctor.cli.files import read_text, write_whole
from envdoctor.errors import UsageError
from envdoctor.model.finding import NOTE, OPEN
from envdoctor.model.report import Report
from envdoctor.saved.lines_v1 import MARK
from envdoctor.sweep.ledger import is_ledger
from envdoctor.verdict import triage
from envdoctor.verdict.baseline import (
    NAME,
    BaselineEntry,
    parse,
    pruned,
    updated,
    write_json,
    write_toml,
)
from envdoctor.verdict.redaction import without_home


def saved_runs(words: Iterable[str]) -> list[Path]:
    """The saved runs and folders of sweeps among the words; empty where all of them are SPECs.
    Raises UsageError for some of each.
    """
    words = tuple(words)
    runs = [Path(word) for word in words if _is_saved_run(Path(word))]
    if runs and len(runs) < len(words):
        raise UsageError("name saved runs or environments, not some of each")
    return runs


def _is_saved_run(path: Path) -> bool:
    if not path.is_file():
        return is_ledger(path)
    try:
        with path.open("rb") as file:
            return file.read(64).startswith(f'{{"{MARK}":'.encode())
    except OSError:
        return False


def keeping(path: Path, settle: Callable[[Report], Report]) -> Callable[[Report], Report]:
    """`settle`, which also writes what was found before: a sweep is judged again later, perhaps by
    other terms. An interrupted run has no result.
    """

    def settled(report: Report) -> Report:
        if not report.interrupted:
            from envdoctor.sweep.results import judged_of, written

            text = written(judged_of(report), str(Path.home()))
            path.write_text(text, encoding="ascii")
        return settle(report)

    return settled


def place(output: Path | None, configured: Path | None, again: bool) -> Path:
    """Return the path of the baseline. Raises UsageError before anything slow where it cannot be
    written, or would lose its reasons.
    """
    path = output or configured or Path(NAME)
    writing.check_writable(path)
    if path.exists() and not again:
        raise UsageError(
            f"{path} is there already; --update takes up what is new and keeps its reasons, --prune"
            " only drops what is gone"
        )
    return path


def record(report: Report, path: Path, reason: str, fail_on: str, prune: bool = False) -> str:
    """Write the baseline after a run, and say in a line what is in it: errors, warnings, and
    notes where they fail.
    """
    try:
        old = parse(read_text(path), str(path)) if path.exists() else ()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not text in UTF-8") from error
    failing = [
        finding
        for finding in report.findings
        if finding.status == OPEN and (finding.severity != NOTE or fail_on == NOTE)
    ]
    tell = without_home(str(Path.home()))
    open_ = [
        finding.but(message=tell(finding.message), subject=tell(finding.subject))
        for finding in failing
    ]
    judged = triage.judged_places(report)
    entries = pruned(old, open_, judged) if prune else updated(old, open_, judged, reason)
    try:
        write_whole(path, write_json(entries) if path.suffix == ".json" else write_toml(entries))
    except OSError as error:
        raise UsageError(f"--output {path}: {error.strerror}") from error
    return _sentence(path, old, entries)


def _sentence(path: Path, old: Iterable[BaselineEntry], entries: Iterable[BaselineEntry]) -> str:
    before, after = (
        Counter(entry.fingerprint for entry in old),
        Counter(entry.fingerprint for entry in entries),
    )
    changes = (
        f" ({(after - before).total()} new, {(before - after).total()} dropped)" if before else ""
    )
    return f"{path}: {after.total()} known finding{'' if after.total() == 1 else 's'}{changes}"
