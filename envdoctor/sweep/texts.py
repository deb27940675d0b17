"""A sweep and a comparison as plain text: one line an environment, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from envdoctor.model.finding import SEVERITIES, Finding
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.model.units import duration
from envdoctor.reporters._showing import clean
from envdoctor.sweep.comparing import KINDS, FindingChange, SweepComparison
from envdoctor.sweep.results import Result

MAX_ROWS = 40  # of a table on a screen; the index has all
MAX_CHANGES = 200
MAX_SUSPECTS = 20

Clean = Callable[[str], str]


def number(count: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def progress(result: Result, done: int, total: int, seconds: float) -> str:
    """`[12/40] CartPole-v1: 1 note, 4.2 s; about 2 min left`."""
    left = seconds / done * (total - done) if done else 0.0
    rest = f"; about {duration(left)} left" if done < total else ""
    took = duration(result.judged.seconds)
    node = f" on {result.node}" if result.node else ""
    return f"[{done}/{total}] {result.label}: {verdict(result)}, {took}{node}{rest}"


def verdict(result: Result) -> str:
    """`2 errors, 1 note`, `nothing found` or `inconclusive`."""
    if result.judged.verdict == INCONCLUSIVE and not result.findings:
        return INCONCLUSIVE
    matches = [
        number(count, severity) for severity in SEVERITIES if (count := result.count(severity))
    ]
    return ", ".join(matches) or "nothing found"


def worst(result: Result) -> str:
    """The worst finding in a line, or why there is none."""
    if not result.findings:
        return result.reason
    first = min(
        result.findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.code)
    )
    return f"{first.code} {first.message}"


def table(results: Sequence[Result], width: int, unicode: bool) -> str:
    """The results, worst first, and a line on all of them."""
    rows = results[:MAX_ROWS]
    first = min(40, max((len(row.label) for row in rows), default=0))
    second = max((len(verdict(row)) for row in rows), default=0)
    lines = [
        cut(
            f"{clean(row.label, unicode):{first}}  {verdict(row):{second}}"
            f"  {clean(worst(row), unicode)}".rstrip(),
            width,
        )
        for row in rows
    ]
    if len(results) > MAX_ROWS:
        lines.append(f"... and {len(results) - MAX_ROWS:,} more, none of them worse")
    return "\n".join([*lines, "", totals(results)]) + "\n"


def totals(results: Sequence[Result]) -> str:
    """`40 environments: 3 with errors, 5 with warnings, 31 with neither, 1 inconclusive`."""
    kinds = Counter(map(_kind, results))
    words = ("with errors", "with warnings", "with neither", INCONCLUSIVE)
    parts = [f"{kinds[word]:,} {word}" for word in words if kinds[word]]
    return f"{number(len(results), 'environment')}: {', '.join(parts) or 'no result'}"


def _kind(result: Result) -> str:
    for severity in SEVERITIES[:2]:
        if result.count(severity):
            return f"with {severity}s"
    return INCONCLUSIVE if result.judged.verdict == INCONCLUSIVE else "with neither"


def cut(line: str, width: int) -> str:
    """A line that is not wider than that."""
    return line if len(line) <= width else f"{line[: width - 3].rstrip()}..."


def comparison_text(comparison: SweepComparison, unicode: bool) -> str:
    """Return the changes, the worst news first, and their possible causes."""
    lines = list(_changes(comparison, lambda text: clean(text, unicode)))
    if comparison.changes and comparison.suspects:
        lines += ["", "Packages that differ, and may be the cause:"]
        lines += [
            f"  {name} {was} -> {now}" for name, was, now in comparison.suspects[:MAX_SUSPECTS]
        ]
        if len(comparison.suspects) > MAX_SUSPECTS:
            lines.append(f"  ... and {len(comparison.suspects) - MAX_SUSPECTS} more")
    return "\n".join([*lines, *([""] if lines else []), summary(comparison)]) + "\n"


def _changes(comparison: SweepComparison, safe: Clean) -> Iterator[str]:
    for change in comparison.changes[:MAX_CHANGES]:
        yield from _lines(change, safe)
    if len(comparison.changes) > MAX_CHANGES:
        yield f"... and {len(comparison.changes) - MAX_CHANGES:,} more changes"
    for label, reason in comparison.lost:
        yield f"inconclusive now: {safe(label)}: {safe(reason)}"
    for title, labels in (("only before", comparison.missing), ("only now", comparison.appeared)):
        if labels:
            more = f" and {len(labels) - MAX_ROWS:,} more" if len(labels) > MAX_ROWS else ""
            yield f"{title}: {', '.join(map(safe, labels[:MAX_ROWS]))}{more}"


def _lines(change: FindingChange, safe: Clean) -> Iterator[str]:
    finding = change.finding
    yield (
        f"{change.kind}: {finding.severity} {finding.code} {safe(change.label)}"
        f" [{_place(finding)}]: {safe(finding.message)}"
    )
    for words in change.words:
        yield f"  {safe(words)}"


def _place(finding: Finding) -> str:
    return ", ".join(filter(None, (finding.manager, finding.start_method)))


def summary(comparison: SweepComparison) -> str:
    """`40 environments compared: 1 new, 2 gone`."""
    counts = Counter(change.kind for change in comparison.changes)
    parts = [f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]]
    if comparison.lost:
        parts.append(f"{len(comparison.lost)} inconclusive now")
    same = "no finding changed" if not comparison.changes else ""
    return f"{number(comparison.pairs, 'environment')} compared: {', '.join(parts) or same}"


def shortened(sentences: Sequence[str], most: int = 3) -> str:
    """Some sentences as one, and how many more there are."""
    more = [f"and {len(sentences) - most} more"] if len(sentences) > most else []
    return "; ".join([*sentences[:most], *more])
