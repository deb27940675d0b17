"""A report as one Markdown document that fits where it goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from envdoctor.model.finding import OPEN, SEVERITIES, Finding
from envdoctor.model.report import Report, SubjectReport
from envdoctor.reporters._folding import (
    SAME_CODE,
    Case,
    Place,
    by_family,
    by_reason,
    name_places,
    repeated_code,
    skipped_here,
    where_skipped,
    worker_numbers,
)
from envdoctor.reporters._growth import verdict as growth_verdict
from envdoctor.reporters._markdown import code, fenced, prose
from envdoctor.reporters._verdict import number, verdict_line
from envdoctor.reporters._wording import (
    FAULT,
    REMEDY,
    WHY,
    account,
    commands,
    open_cases,
    safe_line,
    who,
    why,
)

NAMED = 20  # checks that are named for one reason why they were skipped
ROOM = 200  # bytes for the line that says what is left out


def written(report: Report, root: str, limit: int) -> str:
    """The document, of at most `limit` bytes: whole findings, worst first, then what was set
    accepted, skipped and passed.
    """
    workers = worker_numbers(report)
    cases = open_cases(report)
    repeated = repeated_code(cases)
    findings = [
        _finding(case, workers, root, repeated.get(case.first.fingerprint, "")) for case in cases
    ]
    head = [
        f"## envdoctor: {prose(verdict_line(report))}",
        *(_subject(subject, report) for subject in report.subjects),
    ]
    room, shown = limit - ROOM, []
    for block in head + findings:
        room -= len(block.encode()) + 2
        if room < 0:
            break
        shown.append(block)
    left_out = len(head) + len(findings) - len(shown)
    if left_out:
        shown.append(
            f"_{number(min(left_out, len(findings)), 'more finding')} left out here for want of"
            " room; `--format json` has all._"
        )
    for block in () if left_out else _rest(report, root):
        room -= len(block.encode()) + 2
        shown += [block] if room >= 0 else []
    return "\n\n".join(shown) + "\n"


def _subject(subject: SubjectReport, report: Report) -> str:
    mine = [
        case.first.severity for case in open_cases(report) if case.first.subject == subject.spec
    ]
    counts = Counter(mine)
    text = ", ".join(
        number(counts[severity], severity) for severity in SEVERITIES if counts[severity]
    )
    places = prose(safe_line(name_places(subject.managers) or "no place"))
    lines = [f"- {code(safe_line(subject.spec))}: {text or 'nothing open'}; played in {places}"]
    for check in subject.growth:
        place = f" in {check.side}" if check.manager == "direct" and check.side else ""
        place = (
            place
            if check.manager == "direct"
            else f" in {name_places([(check.manager, check.start_method)])} {check.side}"
        )
        label, judged = safe_line(f"growth{place}"), safe_line(growth_verdict(check)[0])
        lines.append(f"  - {prose(label)}: {prose(judged)}")
    return "\n".join(lines)


def _finding(case: Case, workers: dict[Place, int], root: str, same: str) -> str:
    first = case.first
    lines = [
        f"### {first.severity} {prose(safe_line(f'{first.code} {first.name}'))}",
        f"{code(who(case, workers))}: {prose(safe_line(first.message, root))}",
        "\n".join(_bullets(account(case, root))),
    ]
    pasted = commands(first)
    if same:
        return "\n\n".join([*lines, prose(SAME_CODE.format(code=same))])
    return "\n\n".join([*lines, *([fenced(pasted)] if pasted else [])])


def _bullets(entries: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """Sentences are prose; places and proof are for copying, and code as a whole."""
    for label, lines in entries:
        shown = [prose(line) if label in (FAULT, WHY, REMEDY) else code(line) for line in lines]
        yield f"- {prose(label)}: {shown[0]}" if len(shown) == 1 else f"- {prose(label)}:"
        yield from (f"  - {line}" for line in shown[1 if len(shown) == 1 else 0 :])


def _rest(report: Report, root: str) -> Iterator[str]:
    accepted = [finding for finding in report.findings if finding.status != OPEN]
    if accepted:
        yield _folded(
            f"{number(len(accepted), 'finding')} suppressed",
            (_accepted(finding, root) for finding in accepted),
        )
    skipped = skipped_here(report)
    if skipped:
        yield _folded(
            f"{number(len(skipped), 'check')} skipped",
            (_skipped(report, *reason) for reason in by_reason(skipped)),
        )
    if report.passed:
        yield (
            f"Passed: {number(len(report.passed), 'check')}:"
            f" {prose(by_family(passed.code for passed in report.passed))}"
        )


def _accepted(finding: Finding, root: str) -> str:
    where = name_places([(finding.manager, finding.start_method)])
    return (
        f"{prose(safe_line(finding.code))} {code(safe_line(f'{finding.subject} [{where}]'))},"
        f" {prose(why(finding))}: {prose(safe_line(finding.message, root))}"
    )


def _skipped(report: Report, reason: str, whats: list[str]) -> str:
    named = (
        ", ".join(whats[:NAMED])
        + (f" and {len(whats) - NAMED} more" if len(whats) > NAMED else "")
        + where_skipped(report.skipped, reason)
    )
    return f"{prose(safe_line(named))}: {prose(safe_line(reason))}"


def _folded(summary: str, lines: Iterable[str]) -> str:
    listed = "\n".join(f"- {line}" for line in lines)
    return f"<details><summary>{summary}</summary>\n\n{listed}\n\n</details>"
