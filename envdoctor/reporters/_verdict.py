"""The last line of a screen: what was found, and never more than what was looked at."""

from __future__ import annotations

from collections import Counter

from envdoctor.model.finding import OPEN, SEVERITIES
from envdoctor.model.report import NO_ENVIRONMENT, Report
from envdoctor.model.trace import FINISHED
from envdoctor.reporters._folding import cases

NOT_JUDGED = "no check could be judged"


def number(count: int, noun: str, many: str = "", form: str = "") -> str:
    """`1 error`, `2 errors`, `2 entries` (given as `many`), `1,009 allocations` (`form` is `,`)."""
    return f"{count:{form}} {noun if count == 1 else many or noun + 's'}"


def verdict_line(report: Report) -> str:
    """`failed: 2 errors, 1 note in 12 scenarios; 1 did not finish (timed-out); 14 s`."""
    if not report.subjects and not report.interrupted and not report.incomplete:
        return f"nothing was examined; {report.seconds:.1f} s"
    clauses = [
        _opening(report),
        _unfinished(report),
        _unjudged(report),
        _accepted(report),
        _incomplete(report),
        f"{report.seconds:.1f} s",
    ]
    return "; ".join(clause for clause in clauses if clause)


def _opening(report: Report) -> str:
    finished = _ends(report)[FINISHED]
    counts = _counts(report)
    # What a sweep found has no scenarios beside it: what passed was looked at.
    looked = report.passed and (finished or not report.traces)
    nothing = NOT_JUDGED if finished else "no scenario was played to its end"
    text = counts or ("nothing found" if looked else nothing)
    text += f" in {number(finished, 'scenario')}" if finished else ""
    if report.interrupted:
        return f"interrupted: so far {text}"
    return f"{report.verdict_word}: {text}"


def _counts(report: Report) -> str:
    """As the screen shows them: one finding seen in four places is one."""
    shown = Counter(
        case.first.severity
        for case in cases(finding for finding in report.findings if finding.status == OPEN)
    )
    return ", ".join(
        number(shown[severity], severity) for severity in SEVERITIES if shown[severity]
    )


def _ends(report: Report) -> Counter[str]:
    """Count how the subjects' own scenarios ended; the controls are ours and prove nothing about a
    subject.
    """
    return Counter(trace.outcome.kind for _, trace in report.traces if not trace.scenario.control)


def _unfinished(report: Report) -> str:
    kinds = _ends(report)
    more = " more" if kinds.pop(FINISHED, 0) else ""
    words = ", ".join(
        f"{count} {kind}" if len(kinds) > 1 else kind for kind, count in sorted(kinds.items())
    )
    return f"{kinds.total()}{more} did not finish ({words})" if kinds else ""


def _unjudged(report: Report) -> str:
    if report.not_found:
        return f"{NO_ENVIRONMENT}: {', '.join(report.not_found)}"
    passed = report.passed or report.findings or _ends(report)[FINISHED]
    return "" if passed else NOT_JUDGED


def _incomplete(report: Report) -> str:
    """Names of files are the user's, but the sentence is ours."""
    return f"incomplete: {report.incomplete}" if report.incomplete else ""


def _accepted(report: Report) -> str:
    statuses = Counter(finding.status for finding in report.findings if finding.status != OPEN)
    return ", ".join(f"{count} {status}" for status, count in sorted(statuses.items()))
