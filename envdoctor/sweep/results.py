"""Results as values and as lines: what one examination found, without the evidence, which its saved
run and its page hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import OPEN, SEVERITIES, Finding, Location, Passed, Remedy, Skipped
from envdoctor.model.fingerprint import NAMES, NAMES_SINCE_2, key_of
from envdoctor.model.report import INCONCLUSIVE, Report, SubjectReport
from envdoctor.saved.lines_v1 import UnreadableError, decode, encode
from envdoctor.saved.reading import MALFORMED
from envdoctor.sweep.plans import Identity

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FORMAT = 1
MARK = "envdoctor-result"  # the first key of a result: its value is the format

T = TypeVar("T")


@dataclass(frozen=True)
class Judged:
    """The result of one `check`, before a policy is applied. `incomplete` says why a part is
    missing.
    """

    verdict: str = INCONCLUSIVE
    env_class: str = ""
    python: str = ""
    frameworks: Mapping[str, str] = field(default_factory=dict)
    source: Location | None = None
    findings: tuple[Finding, ...] = ()
    passed: tuple[Passed, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    seconds: float = 0.0
    version: str = ""
    incomplete: str = ""


@dataclass(frozen=True)
class Result:
    """The result of a key. `reason` says why nothing was judged, if so; `attempts` is how often it
    was begun; `finished` is seconds since 1970; `node` is the machine of a cluster.
    """

    identity: Identity
    judged: Judged
    reason: str = ""
    attempts: int = 1
    finished: float = 0.0
    node: str = ""

    @property
    def key(self) -> str:
        """The name of its files."""
        return self.identity.key

    @property
    def label(self) -> str:
        """The name of the environment for people."""
        return self.identity.label

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those that count."""
        return tuple(finding for finding in self.judged.findings if finding.status == OPEN)

    @property
    def badness(self) -> tuple[int, ...]:
        """Greater is worse: errors, warnings, whether it is inconclusive, notes."""
        errors, warnings, notes = (self.count(severity) for severity in SEVERITIES)
        return (errors, warnings, int(self.judged.verdict == INCONCLUSIVE), notes)

    def count(self, severity: str) -> int:
        """Open findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)


def judged_of(report: Report) -> Judged:
    """Return the result of a report on one subject."""
    subject = report.subjects[0] if report.subjects else SubjectReport("")
    return Judged(
        verdict=report.verdict,
        env_class=subject.env_class,
        python=subject.python,
        frameworks=dict(subject.frameworks),
        source=subject.source,
        findings=tuple(map(_slim, report.findings)),
        passed=report.passed,
        skipped=report.skipped,
        seconds=report.seconds,
        version=report.version,
        incomplete=report.incomplete,
    )


def _slim(finding: Finding) -> Finding:
    """Return the finding with its identity, its words and its measures alone."""
    names = {*NAMES, *NAMES_SINCE_2}
    evidence = {name: text for name, text in finding.evidence.items() if name in names}
    evidence |= {"error": {"type": kind}} if (kind := _error_type(finding)) else {}
    return replace(
        finding,
        key=key_of(finding.evidence) if finding.key is None else finding.key,
        evidence={name: text for name, text in evidence.items() if isinstance(text, (str, dict))},
        remedy=Remedy(finding.remedy.text, finding.remedy.commands),
    )


def _error_type(finding: Finding) -> str:
    error = {**finding.evidence}.pop("error", None)
    return str({**error}.pop("type", "")) if isinstance(error, Mapping) else ""


def why_inconclusive(judged: Judged) -> str:
    """Return the reason that kept most rules from a judgement."""
    reasons = Counter(skipped.reason for skipped in judged.skipped)
    return judged.incomplete or next((reason for reason, _ in reasons.most_common(1)), "")


def unjudged(
    identity: Identity, reason: str, attempts: int, finished: float, node: str = ""
) -> Result:
    """The result of an examination that could not be made."""
    return Result(identity, Judged(incomplete=reason), reason, attempts, finished, node)


def written(value: Judged | Result, home: str) -> str:
    """One line; paths below `home` begin with ~."""
    data = (
        _plain(value)
        if isinstance(value, Judged)
        else {**asdict(replace(value, judged=Judged())), "judged": _plain(value.judged)}
    )
    return encode({MARK: FORMAT, **data}, home) + "\n"


def _plain(judged: Judged) -> dict[str, object]:
    """Return the result as JSON values. `passed` has a row a place, with all codes, because there
    are many.
    """
    places: dict[tuple[str, str, str | None], list[str]] = {}
    for item in judged.passed:
        places.setdefault((item.subject, item.manager, item.start_method), []).append(item.code)
    passed = [(*place, " ".join(codes)) for place, codes in places.items()]
    skipped = [
        (
            skipped.code,
            skipped.subject,
            skipped.manager,
            skipped.reason,
            skipped.start_method,
            skipped.nothing_to_count,
        )
        for skipped in judged.skipped
    ]
    rest = asdict(replace(judged, passed=(), skipped=()))
    return {**rest, "passed": passed, "skipped": skipped}


def judged_from(text: str, home: str) -> Judged:
    """The inverse of `written`. Raises UnreadableError."""
    return _read(text, home, _judged)


def result_from(text: str, home: str) -> Result:
    """The inverse of `written`. Raises UnreadableError."""
    return _read(text, home, _result)


def _read(text: str, home: str, build: Callable[[dict[str, object]], T]) -> T:
    data = decode(text.strip(), home)
    if data.pop(MARK, None) != FORMAT:
        raise UnreadableError("it is of another format")
    try:
        return build(data)
    except MALFORMED as error:
        raise UnreadableError("it lacks a value") from error


def _result(data: dict[str, Any]) -> Result:
    identity, judged = Identity(**data.pop("identity")), _judged(data.pop("judged"))
    return Result(identity=identity, judged=judged, **_known(Result, data))


def _judged(data: dict[str, Any]) -> Judged:
    findings, source = data.pop("findings"), data.pop("source")
    passed, skipped = data.pop("passed"), data.pop("skipped")
    return Judged(
        findings=tuple(map(_finding, findings)),
        passed=tuple(
            Passed(code, subject, manager, method)
            for subject, manager, method, codes in passed
            for code in codes.split()
        ),
        skipped=tuple(Skipped(*row) for row in skipped),
        source=Location(**source) if source else None,
        **_known(Judged, data),
    )


def _finding(data: dict[str, Any]) -> Finding:
    remedy, place = data.pop("remedy"), data.pop("location")
    key, explained = tuple(data.pop("key") or ()), tuple(data.pop("explained_by"))
    return Finding(
        remedy=Remedy(str(remedy.pop("text")), tuple(remedy.pop("commands"))),
        location=Location(**place) if place else None,
        key=key,
        explained_by=explained,
        explained_alone=tuple(data.pop("explained_alone", ())),
        **_known(Finding, data),
    )


def _known(cls: type[DataclassInstance], data: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields that this version knows: another one may have written more."""
    names = {item.name for item in fields(cls)}
    return {name: value for name, value in data.items() if name in names}


def latest(results: Iterable[Result]) -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """The newest result of each place, worst first; and the ones just before these."""
    places: dict[tuple[str, str, str], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.finished):
        places.setdefault(result.identity.place, []).append(result)
    newest = [several[-1] for several in places.values()]
    before = [several[-2] for several in places.values() if len(several) > 1]
    return worst_first(newest), worst_first(before)


def worst_first(results: Iterable[Result]) -> tuple[Result, ...]:
    """Most errors first, then warnings; those without a verdict; notes; by name."""
    named = sorted(results, key=lambda result: result.label)
    return tuple(sorted(named, key=lambda result: result.badness, reverse=True))
