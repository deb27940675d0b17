"""The baseline: one entry for each known finding, with a reason and its amounts. A larger amount is
new. Text in, values out, and the other way round; in the order of the text, for every author.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from envdoctor.errors import UsageError
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import BASELINED, OPEN, Finding
from envdoctor.model.fingerprint import rootless

VERSION = 2
READABLE = (1, VERSION)  # 1 had the beginning of a message in its fingerprints
NAME = ".envdoctor-baseline.toml"
NO_REASON = "known when the baseline was written"

HEAD = """\
# Findings that are known: they pass as long as there is not more of them.
# The reasons are yours to write; `envdoctor baseline --update` keeps them, and drops what is no
# longer found.
version = 2
"""

# Share and bytes by which memory may vary between runs of the same code.
BYTES_MORE, BYTES_SLACK = 0.10, 64
# Share by which a rate may vary that is not a whole number: 1 in 5 cycles, followed for 231.
RATE_MORE = 0.05
SECONDS_MORE, SECONDS_SLACK = 0.50, 1.0  # machines differ


@dataclass(frozen=True)
class BaselineEntry:
    """One entry. `measured` is how much of it there was, {what: number}."""

    fingerprint: str
    code: str
    name: str
    subject: str
    manager: str
    start_method: str | None = None
    message: str = ""
    reason: str = NO_REASON
    measured: Mapping[str, float] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, str, str, str | None]:
        """The rule and the place: the SPEC without the root of an absolute path."""
        return (self.code, rootless(self.subject), self.manager, self.start_method)

    @property
    def order(self) -> tuple[object, ...]:
        """Its place in the file."""
        measured = tuple(sorted(self.measured.items()))
        return (
            self.subject,
            self.code,
            self.manager,
            self.start_method is not None,
            self.start_method or "",
            self.fingerprint,
            measured,
            self.message,
            self.reason,
            self.name,
        )


def known_of(finding: Finding, reason: str = NO_REASON) -> BaselineEntry:
    """The entry of a finding."""
    return BaselineEntry(
        finding.fingerprint,
        finding.code,
        finding.name,
        finding.subject,
        finding.manager,
        finding.start_method,
        finding.message,
        reason,
        finding.measured,
    )


def compared(
    findings: Iterable[Finding], known: Iterable[BaselineEntry]
) -> tuple[list[Finding], list[BaselineEntry]]:
    """The findings with what is known of them, and the entries that match none. An entry stands
    for one finding.
    """
    free = _by_fingerprint(known)
    settled = []
    for finding in findings:
        own = _entries_of(finding, free) if finding.status == OPEN else None
        settled.append(_against(finding, _closest(finding, own)) if own else finding)
    return settled, [entry for entries in free.values() for entry in entries]


def _by_fingerprint(known: Iterable[BaselineEntry]) -> dict[str, list[BaselineEntry]]:
    result: dict[str, list[BaselineEntry]] = {}
    for entry in sorted(known, key=lambda entry: entry.order):
        result.setdefault(entry.fingerprint, []).append(entry)
    return result


def _entries_of(
    finding: Finding, free: Mapping[str, list[BaselineEntry]]
) -> list[BaselineEntry] | None:
    """The entries that a finding may be, by its fingerprint, or by that of version 1."""
    return free.get(finding.fingerprint) or free.get(finding.fingerprint_v1)


def _closest(finding: Finding, entries: list[BaselineEntry]) -> BaselineEntry:
    """Of several that could be it, one that there is not more of, if there is one."""
    fitting = next(
        (entry for entry in entries if not worse(entry.measured, finding.measured)), entries[0]
    )
    entries.remove(fitting)
    return fitting


def _against(finding: Finding, entry: BaselineEntry) -> Finding:
    more = worse(entry.measured, finding.measured)
    if not more:
        return finding.but(status=BASELINED, status_reason=entry.reason)
    return finding.but(status_reason=f"worse than in the baseline: {'; '.join(more)}")


def worse(was: Mapping[str, float], now: Mapping[str, float]) -> list[str]:
    """Return the amounts that grew, in words. Counts are exact; bytes, rates and seconds have some
    slack. An entry without measures has no bound.
    """
    return [
        f"{name}: was {was.get(name, 0):g}, is {number:g}"
        for name, number in now.items()
        if was and number > was.get(name, 0) + _slack(name, was.get(name, 0.0))
    ]


def _slack(name: str, was: float) -> float:
    if "bytes" in name:
        return max(BYTES_SLACK, BYTES_MORE * was)
    if "seconds" in name:
        return max(SECONDS_SLACK, SECONDS_MORE * was)
    return RATE_MORE * was if " per " in name else 0.0


def updated(
    old: Sequence[BaselineEntry],
    findings: Iterable[Finding],
    judged: Iterable[tuple[str, str, str, str | None]],
    reason: str = "",
) -> list[BaselineEntry]:
    """The baseline after a run: entries found again keep their reasons, and stay as they are where
    nothing changed; new ones get `reason`; what was judged and is gone is dropped; what was not
    judged stays.
    """
    free = _by_fingerprint(old)
    kept = []
    for finding in findings:
        own = _entries_of(finding, free)
        kept.append(
            _renewed(_closest(finding, own), finding)
            if own
            else known_of(finding, reason or NO_REASON)
        )
    places = set(judged)
    return kept + [
        entry for entries in free.values() for entry in entries if entry.place not in places
    ]


def _renewed(entry: BaselineEntry, finding: Finding) -> BaselineEntry:
    same = (entry.fingerprint, dict(entry.measured)) == (finding.fingerprint, finding.measured)
    return entry if same else replace(known_of(finding), reason=entry.reason)


def pruned(
    old: Iterable[BaselineEntry],
    findings: Iterable[Finding],
    judged: Iterable[tuple[str, str, str, str | None]],
) -> list[BaselineEntry]:
    """The baseline without what was judged and is gone. Entries of version 1 get fingerprints of
    this version.
    """
    old, places = list(old), set(judged)
    free = _by_fingerprint(old)
    kept = []
    for finding in findings:
        own = _entries_of(finding, free)
        if own:
            kept.append(replace(_closest(finding, own), fingerprint=finding.fingerprint))
    unmatched = (entry for entries in free.values() for entry in entries)
    return kept + [entry for entry in unmatched if entry.place not in places]


def write_toml(known: Iterable[BaselineEntry]) -> str:
    """The file's text."""
    return "\n".join([HEAD, *map(_entry, sorted(known, key=lambda entry: entry.order))])


def _entry(entry: BaselineEntry) -> str:
    lines = [
        f"{key} = {_text(str(value))}" for key, value in _fields(entry).items() if key != "measured"
    ]
    if entry.measured:
        measured = ", ".join(
            f"{_text(name)} = {value!r}" for name, value in sorted(entry.measured.items())
        )
        lines.append(f"measured = {{ {measured} }}")
    return "\n".join(("[[known]]", *lines, ""))


def write_json(known: Iterable[BaselineEntry]) -> str:
    """Return the baseline as JSON."""
    entries = [_fields(entry) for entry in sorted(known, key=lambda entry: entry.order)]
    return json.dumps({"version": VERSION, "known": entries}, indent=2) + "\n"


def _fields(entry: BaselineEntry) -> dict[str, object]:
    fields = {
        "fingerprint": entry.fingerprint,
        "code": entry.code,
        "name": entry.name,
        "subject": entry.subject,
        "manager": entry.manager,
        "start-method": entry.start_method,
        "message": entry.message,
        "reason": entry.reason,
        "measured": dict(sorted(entry.measured.items())),
    }
    return {key: value for key, value in fields.items() if value not in (None, {})}


def _text(value: str) -> str:
    """A TOML string. JSON's is one, but for lone surrogates, which TOML does not know, and DEL."""
    value = value.encode("utf-8", "backslashreplace").decode()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class _Written:
    """The content of a file, before it is checked."""

    version: object = None
    known: Any = ()


@dataclass(frozen=True)
class _BaselineLine:
    """The values of an entry besides texts, before they are checked."""

    measured: object = field(default_factory=dict)


def parse(text: str, name: str) -> tuple[BaselineEntry, ...]:
    """The entries of a file called `name`. Raises UsageError with what is wrong and where."""
    data = decoded(_Written, _loaded(text, name))
    if data.version not in READABLE:
        raise UsageError(
            f"{name}: version is {data.version!r}; this envdoctor reads versions"
            f" {' and '.join(map(str, READABLE))}"
        )
    if not isinstance(data.known, (list, tuple)):
        raise UsageError(f"{name}: known is not a list of entries; write [[known]] before each")
    return tuple(
        _known(entry, f"{name}: entry {number}") for number, entry in enumerate(data.known, start=1)
    )


def _loaded(text: str, name: str) -> Mapping[str, object]:
    import tomllib  # only where there is a baseline

    try:
        data = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
    return data if isinstance(data, dict) else {}


def _known(entry: object, where: str) -> BaselineEntry:
    if not isinstance(entry, dict):
        raise UsageError(f"{where} is not a table")
    fields = {
        key: _string(entry, key, where)
        for key in ("fingerprint", "code", "name", "subject", "manager")
    }
    optional = {
        key.replace("-", "_"): _string(entry, key, where)
        for key in ("start-method", "message", "reason")
        if key in entry
    }
    measured = decoded(_BaselineLine, entry).measured
    known = BaselineEntry(**fields, **optional, measured=dict(_measures(measured, where)))
    if not re.fullmatch(r"[0-9a-f]{16}", known.fingerprint):
        raise UsageError(
            f"{where}: fingerprint {known.fingerprint!r} is not one; it has 16 hexadecimal digits"
        )
    return known


def _string(entry: Mapping[str, object], key: str, where: str) -> str:
    if not isinstance(entry.get(key), str):
        raise UsageError(f"{where}: {key} is {'missing' if key not in entry else 'not text'}")
    return str(entry[key])


def _measures(measured: object, where: str) -> Iterator[tuple[str, float]]:
    if not isinstance(measured, dict):
        raise UsageError(
            f'{where}: measured is not a table; write measured = {{ "processes left" = 1 }}'
        )
    for name, number in measured.items():
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise UsageError(f"{where}: {name} in measured is not a number")
        yield name, number
