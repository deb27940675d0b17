"""The changes between two sweeps. Results in, changes out; fingerprints identify a finding on both
sides, as in a baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, SEVERITIES, Finding, Passed
from envdoctor.model.fingerprint import rootless
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.sweep.results import Result
from envdoctor.verdict.baseline import worse

NEW, WORSE, BETTER, MOVED, GONE, UNJUDGED = "new", "worse", "better", "moved", "gone", "not judged"
KINDS = (NEW, WORSE, UNJUDGED, MOVED, BETTER, GONE)  # the worst news first
#: Of the kinds above, what a build fails on.
FAILING = (NEW, WORSE)

Spot = tuple[str, str, str, str | None]
Settle = Callable[[Result], tuple[Finding, ...]]


@dataclass(frozen=True)
class FindingChange:
    """One finding that is not as it was. `finding` is the later one, or the one that is not found
    any more; `words` say what changed.
    """

    kind: str
    label: str
    finding: Finding
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class SweepComparison:
    """Two sweeps. `pairs` is how many environments are in both, `appeared` and `missing` those that
    are in one; `lost` are those that could be judged before, with the reason why they cannot be
    now; `suspects` are the packages whose versions differ: (name, before, after).
    """

    changes: tuple[FindingChange, ...]
    pairs: int
    appeared: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    suspects: tuple[tuple[str, str, str], ...] = ()

    def of(self, kind: str) -> tuple[FindingChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.kind == kind)

    def failing(self, fail_on: str) -> tuple[FindingChange, ...]:
        """Return changes that are new or got worse, from a severity on."""
        severities = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return tuple(
            change
            for change in self.changes
            if change.kind in FAILING and change.finding.severity in severities
        )


def compare(
    before: Iterable[Result],
    after: Iterable[Result],
    versions: tuple[Mapping[str, str], Mapping[str, str]] = ({}, {}),
    settle: Settle = lambda result: result.findings,
) -> SweepComparison:
    """Compare two sweeps. `settle` gives the findings of a result that count, as a team decided.
    `versions` are the packages on both sides.
    """
    was, now = _by_label(before), _by_label(after)
    both = [label for label in now if label in was]
    changes = [
        change for label in both for change in _changes(label, was[label], now[label], settle)
    ]
    return SweepComparison(
        tuple(sorted(changes, key=_order)),
        len(both),
        tuple(sorted(set(now) - set(was))),
        tuple(sorted(set(was) - set(now))),
        tuple(
            (label, now[label].reason or now[label].judged.incomplete or "no rule could be judged")
            for label in both
            if now[label].judged.verdict == INCONCLUSIVE != was[label].judged.verdict
        ),
        differing(*versions),
    )


def differing(
    before: Mapping[str, str], after: Mapping[str, str]
) -> tuple[tuple[str, str, str], ...]:
    """The packages whose versions differ, with both."""
    return tuple(
        (name, before.get(name, "not installed"), after.get(name, "not installed"))
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def _by_label(results: Iterable[Result]) -> dict[str, Result]:
    return {result.label: result for result in sorted(results, key=lambda result: result.finished)}


def _order(change: FindingChange) -> tuple[int, int, str, str]:
    finding = change.finding
    return (
        KINDS.index(change.kind),
        SEVERITIES.index(finding.severity),
        change.label,
        finding.code,
    )


def _changes(label: str, was: Result, now: Result, settle: Settle) -> Iterable[FindingChange]:
    """The changes of one environment: findings in both are paired, the most alike ones first."""
    free: dict[str, list[Finding]] = {}
    for finding in settle(was):
        free.setdefault(finding.fingerprint, []).append(finding)
    for finding in settle(now):
        known = free.get(finding.fingerprint)
        if known:
            yield from _change(label, _closest(known, finding), finding)
        else:
            yield FindingChange(NEW, label, finding, _unless_judged(was, finding))
    judged = judged_places(now)
    for finding in (finding for known in free.values() for finding in known):
        if spot(finding) in judged:
            yield FindingChange(GONE, label, finding)
        else:
            yield FindingChange(UNJUDGED, label, finding, (_why(now, finding),))


def _closest(known: list[Finding], finding: Finding) -> Finding:
    same = next((item for item in known if item.measured == finding.measured), known[0])
    known.remove(same)
    return same


def _change(label: str, was: Finding, now: Finding) -> Iterable[FindingChange]:
    more, less = worse(was.measured, now.measured), worse(now.measured, was.measured)
    ranks = SEVERITIES.index(was.severity), SEVERITIES.index(now.severity)
    severity = f"severity: was {was.severity}, is {now.severity}"
    if more or ranks[1] < ranks[0]:
        yield FindingChange(
            WORSE, label, now, (*([severity] if ranks[1] < ranks[0] else []), *more)
        )
    elif less or ranks[1] > ranks[0]:
        words = [
            f"{name}: was {number:g}, is {now.measured.get(name, 0):g}"
            for name, number in was.measured.items()
            if number > now.measured.get(name, 0)
        ]
        yield FindingChange(
            BETTER, label, now, (*([severity] if ranks[1] > ranks[0] else []), *words)
        )
    elif was.location and now.location and _line(was) != _line(now):
        yield FindingChange(MOVED, label, now, (f"from {_line(was)} to {_line(now)}",))


def _line(finding: Finding) -> str:
    """`arm.py:41`: the name of the file only, since checkouts have other roots."""
    place = finding.location
    return f"{place.file.rsplit('/', 1)[-1]}:{place.line}" if place else ""


def _unless_judged(was: Result, finding: Finding) -> tuple[str, ...]:
    """A finding of a rule that had nothing to say before may be older than it looks."""
    if finding.severity == NOTE or spot(finding) in judged_places(was):
        return ()
    return ("its rule was not judged before",)


def _why(result: Result, finding: Finding) -> str:
    """Return the reason why a rule was not judged."""
    reasons = (
        skipped.reason
        for skipped in result.judged.skipped
        if skipped.code in ("", finding.code) and skipped.manager == finding.manager
    )
    return next(reasons, "") or result.reason or "its rule was not judged"


def judged_places(result: Result) -> set[Spot]:
    """The rules that looked, and where."""
    every: tuple[Passed | Finding, ...] = (*result.judged.passed, *result.judged.findings)
    return set(map(spot, every))


def spot(item: Finding | Passed) -> Spot:
    """The rule and the place of what was found or passed, the same in another checkout."""
    return (item.code, rootless(item.subject), item.manager, item.start_method)
