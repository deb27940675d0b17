"""`--diff` and `--fix`: the verified remedies of a report as one difference, or in the files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.cli import checkout, replacing, streams, writing
from envdoctor.errors import ExitCode, UsageError
from envdoctor.model.report import HEALTHY, FindingOfFix, Fixes, Report
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import FILE, Subject
from envdoctor.remedies.applying import NoPlaceError
from envdoctor.remedies.patching import digest, patched, unified
from envdoctor.reporters._showing import clean, shorten
from envdoctor.reporters._verdict import number
from envdoctor.verdict.fixes import Patch, Plan, planned, together

if TYPE_CHECKING:
    from envdoctor.cli.command_options import Outlets
    from envdoctor.request.request import Request

NO_CODE = "--no-try-remedies verifies no code that --diff or --fix could use"
GIT_SECONDS = 60.0  # for one question
SILENT = -2  # -qq
ROUNDS = 10  # of --fix: each one examines again what the last one has written

Settle = Callable[[Report], Report]
Contents = dict[Path, tuple[bytes, bytes]]


def check_options(outlets: Outlets, request: Request, wanted: Sequence[writing.Wanted]) -> None:
    """Refuse options that do not go together. Raises UsageError."""
    if outlets.diff and outlets.fix:
        raise UsageError("--diff shows what --fix writes: name one of them")
    if not request.try_remedies:
        raise UsageError(NO_CODE)
    if outlets.diff and wanted[0].path is None and wanted[0].format != "terminal":
        raise UsageError(
            "--diff writes the difference to stdout: name a file for the report, as in"
            f" --report {wanted[0].format}=FILE"
        )


def check_sweep(directory: Path, on: str, jobs: int | None, no_try_remedies: bool) -> None:
    """Refuse a sweep that writes where nothing could take it back, or where two would write at
    once. Raises UsageError.
    """
    if on != "local" or (jobs or 1) > 1:
        raise UsageError("sweep --fix changes files one after the other: --on local and --jobs 1")
    if no_try_remedies:
        raise UsageError(NO_CODE)
    listing = ["git", "status", "--porcelain", "--untracked-files=all", "--", ":(top)*.py"]
    try:
        done = subprocess.run(
            listing, cwd=directory, capture_output=True, text=True, check=False, timeout=GIT_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"sweep --fix asks git what is committed: {error}") from error
    if done.returncode:
        raise UsageError("sweep --fix changes many files: it needs a git repository")
    changed = done.stdout.splitlines()
    if changed:
        raise UsageError(
            f"sweep --fix changes many files: commit or stash {number(len(changed), 'file')}"
            f" first, such as {changed[0][3:]}"
        )


def keeping(settle: Settle, kept: list[Report]) -> Settle:
    """`settle`, which also keeps what it made."""

    def settled(report: Report) -> Report:
        kept[:] = [settle(report)]
        return kept[0]

    return settled


def roots(directory: Path, subjects: Iterable[Subject]) -> tuple[str, ...]:
    """The folders whose files may be changed: the project of this folder, and those of files that
    are named.
    """
    named = (Path(each.path).parent for each in subjects if each.form == FILE and each.path)
    folders = (directory, *named)
    return tuple(dict.fromkeys(os.path.realpath(checkout.root(folder)) for folder in folders))


def show(
    report: Report, folders: tuple[str, ...], directory: Path, verbosity: int
) -> tuple[Report, ExitCode]:
    """Write the difference to stdout and the rest to stderr. The report with it, and the exit code:
    that of ruff, 1 where there is a difference.
    """
    _say(replacing.complete(Path(folders[0])))
    plan = planned(report)
    contents = _contents(plan.patches)
    base = _base(contents, directory, folders)
    _write_difference(_difference(contents, base))
    if verbosity > SILENT:
        _say(_accounts(plan.as_fixes, directory, "would fix", _nothing(report), shows_code=True))
    if contents and base != Path(os.path.realpath(directory)):
        _say([f"the paths are those below {base}: git -C {base} apply"])
    if report.interrupted:
        code = ExitCode.INTERRUPTED
    else:
        code = ExitCode.FINDINGS if contents else ExitCode.OK
    return replace(report, fixes=plan.as_fixes), code


def write(
    examine: Callable[[], Report], folders: tuple[str, ...], directory: Path, verbosity: int
) -> Report:
    """Examine and write what cures, until nothing more does. The last report, on the files as they
    are then, with all that was written.
    """
    root, rounds = Path(folders[0]), list[Plan]()
    _say(replacing.complete(root))
    while True:
        report = examine()
        done = [each.finding.fingerprint for plan in rounds for each in plan.cured]
        plan = planned(report, done)
        if not plan.patches or report.interrupted or len(rounds) == ROUNDS:
            break
        replacing.replace_all(root, _contents(plan.patches))
        rounds.append(plan)
        if verbosity > SILENT:
            _say(_accounts(replace(plan.as_fixes, left=()), directory, "fixed"))
    fixes = together(rounds, plan)
    if verbosity > SILENT:
        _say(_remaining(fixes, directory, report))
    return replace(report, fixes=fixes)


def write_once(report: Report, folders: tuple[str, ...], directory: Path, verbosity: int) -> Report:
    """Write what was verified for a report, which stays that of what ran before; with what was
    written.
    """
    root = Path(folders[0])
    _say(replacing.complete(root))
    plan = planned(report)
    if plan.patches:
        replacing.replace_all(root, _contents(plan.patches))
    fixes = replace(plan.as_fixes, written=bool(plan.patches))
    if verbosity > SILENT:
        _say(_accounts(fixes, directory, "fixed", _nothing(report)))
    return replace(report, fixes=fixes)


def _contents(patches: Iterable[Patch]) -> Contents:
    """The bytes of each file, before and after. Raises UsageError where one is not as it was."""
    contents: Contents = {}
    for patch in patches:
        path = Path(os.path.realpath(patch.file.file))
        try:
            before = path.read_bytes()
            if digest(before) != patch.file.examined:
                raise UsageError(f"{path} has changed since it was examined; nothing was written")
            contents[path] = (before, patched(before, patch.changes, patch.file.tried))
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}; nothing was written") from error
        except NoPlaceError as error:
            raise UsageError(f"{path}: {error}; nothing was written") from error
    return contents


def _base(contents: Contents, directory: Path, folders: Iterable[str]) -> Path:
    """The folder below which all files are: the user's, where that is one."""
    for folder in (os.path.realpath(directory), *folders):
        if all(path.is_relative_to(folder) for path in contents):
            return Path(folder)
    return Path(os.path.commonpath([path.parent for path in contents]))


def _difference(contents: Contents, base: Path) -> bytes:
    return b"".join(
        unified(before, after, path.relative_to(base).as_posix())
        for path, (before, after) in sorted(contents.items())
    )


def _write_difference(data: bytes) -> None:
    """The bytes as they are, for programs; on a terminal, nothing in them acts on it."""
    if not sys.stdout.isatty():
        writing.write_bytes(data)
        return
    text = data.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    shown = lambda cell: clean(cell, writing.is_unicode())  # noqa: E731
    writing.write("\n".join("\t".join(map(shown, row.split("\t"))) for row in text.split("\n")))


def _nothing(report: Report) -> str:
    """The reason for which no file is changed."""
    if report.interrupted:
        return "interrupted before the code was verified: nothing is written"
    if report.verdict == HEALTHY and not report.findings:
        return "nothing was found, so there is nothing to write"
    return "no finding has verified code that can be written"


def _accounts(
    fixes: Fixes, directory: Path, verb: str, nothing: str = "", shows_code: bool = False
) -> Iterator[str]:
    """Name what is fixed, file by file, and what is not, with the reason."""
    for file in dict.fromkeys(each.file for each in fixes.files):
        yield f"{verb} {_name(file, directory)}"
    yield from (f"  {_sentence(each, directory)}" for each in fixes.cured)
    if not fixes.files:
        yield nothing
    if fixes.left:
        yield "not fixed"
    for each in fixes.left:
        yield f"  {_sentence(each, directory)}"
        yield f"    {each.reason}"
        if shows_code and each.finding.remedy.verified:
            yield from (f"    {line}" for line in each.finding.remedy.commands)


def _remaining(fixes: Fixes, directory: Path, report: Report) -> Iterator[str]:
    """Count what was fixed and what remains; the report has verified code for some of that, too."""
    files = len(dict.fromkeys(each.file for each in fixes.files))
    rest = len(fixes.left)
    if report.interrupted and fixes.cured:
        yield "interrupted: what remains was not counted to its end"
    yield (
        f"fixed {number(len(fixes.cured), 'finding')} in {number(files, 'file')};"
        f" {number(rest, 'finding')} {'remains' if rest == 1 else 'remain'}"
        if fixes.cured
        else _nothing(report)
    )
    for each in fixes.left:
        if each.finding.remedy.verified:
            yield f"  {_sentence(each, directory)}"
            yield f"    not written: {each.reason}"


def _sentence(each: FindingOfFix, directory: Path) -> str:
    finding = each.finding
    place = " ".join(filter(None, (finding.manager, finding.start_method)))
    where = "" if finding.manager == DIRECT else f" [{place}]"
    text = f"{finding.code} {finding.subject}{where}: {finding.message}"
    return shorten(text, str(directory))


def _name(file: str, directory: Path) -> str:
    return os.path.relpath(file, directory) if Path(file).is_relative_to(directory) else file


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        shown = clean(line.lstrip(), writing.is_unicode(sys.stderr))
        streams.say(f"envdoctor: {indent}{shown}\n")
