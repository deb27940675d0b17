"""Findings that are final in the first scenarios of a recording are in the report on all of it.

python -m tests.recorded.announcing            # after each scenario of every recording
python -m tests.recorded.announcing zoo/cls    # of those whose keys begin so
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from envdoctor.model.finding import Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.registry import Rule, all_rules
from envdoctor.verdict.diagnosis import RunEvidence, judged
from envdoctor.verdict.finality import complete_findings, final_findings
from envdoctor.verdict.remedies import REMEDIES
from tests.recorded import keeping
from tests.recorded.keeping import Recording

#: Of the scenarios of a recording, one in so many is the last of those that are judged in each test
#: run; which ones depends on the key.
EVERY = 8

#: What an announcement says. Its place may be told more exactly by a later scenario.
SAID = ("severity", "blame", "message")

#: What a complete finding says. The code of its remedy is known once that was tried.
ALL = (*SAID, "confidence", "location", "evidence", "explained_by")


def broken_promises(recording: Recording, report: Iterable[Finding], key: str) -> Iterator[str]:
    """Announcements that the report does not keep, in a sample of the moments of a run."""
    evidence, shift = recording.evidence, zlib.crc32(key.encode())
    numbers = [
        number
        for number, trace in enumerate(evidence.traces, 1)
        if _is_early(trace) or (number + shift) % EVERY == 0
    ]
    return _broken(evidence, rules_of(recording), report, numbers)


def _is_early(trace: Trace) -> bool:
    """True for the plain life, after which most findings are announced."""
    return trace.scenario.traits.plain and not trace.scenario.control


def rules_of(recording: Recording) -> tuple[Rule, ...]:
    """The rules that a recording was judged by."""
    return tuple(rule for code, rule in all_rules().items() if code in recording.run.codes)


def _broken(
    evidence: RunEvidence,
    rules: tuple[Rule, ...],
    report: Iterable[Finding],
    numbers: Sequence[int],
) -> Iterator[str]:
    final = {finding.fingerprint: finding for finding in report}
    for number in numbers:
        for finding, names in announced(evidence, rules, number):
            kept = final.get(finding.fingerprint)
            where = f"{finding.code} [{finding.manager}] after {number} scenarios"
            if kept is None:
                yield f"{where}: the report does not have it: {finding.message}"
                continue
            for name in names:
                if name == "message" and kept.message == _with_circumstance(finding, kept):
                    continue
                if getattr(kept, name) != getattr(finding, name):
                    before, after = getattr(finding, name), getattr(kept, name)
                    yield f"{where}: its {name} is {after!r} in the report, and was {before!r}"


def _with_circumstance(finding: Finding, kept: Finding) -> str:
    """An announced message with the circumstance of a hang, which is known at the end."""
    circumstance = kept.evidence.get("circumstance", "")
    joined = ": " if circumstance.startswith("the ") else ", only "
    return f"{finding.message}{joined}{circumstance}" if circumstance else finding.message


def announced(
    evidence: RunEvidence, rules: tuple[Rule, ...], number: int
) -> Iterator[tuple[Finding, tuple[str, ...]]]:
    """The findings that are final after so many scenarios, with the names of what stays as it is."""
    read = {key: value for key, value in evidence.read.items() if key != REMEDIES}
    so_far = replace(evidence, traces=tuple(evidence.traces[:number]), read=read)
    findings = judged(so_far, rules).findings
    final = final_findings(findings, so_far, rules)
    complete = {each.fingerprint for each in complete_findings(final, findings, so_far, rules)}
    for finding in final:
        remedy = () if finding.remedy.aim else ("remedy",)
        yield finding, (*ALL, *remedy) if finding.fingerprint in complete else SAID


def main(names: Sequence[str]) -> int:
    """Print each broken promise; 1 where there is one."""
    count, moments, beginnings = 0, 0, tuple(names or [""])
    keys = keeping.keys()
    for key in (each for each in keys if each.startswith(beginnings)):
        recording = keeping.load(key)
        evidence, rules = recording.evidence, rules_of(recording)
        numbers = range(1, len(evidence.traces) + 1)
        moments += len(numbers)
        for line in _broken(evidence, rules, recording.report().findings, numbers):
            count += 1
            print(f"{key}: {line}")
    print(f"{moments} moments, {count} broken promises")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
