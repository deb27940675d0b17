"""The amounts of a finding: the counts in its evidence, {noun: number}. A baseline compares
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from envdoctor.model.evidence import Growing, Lasting, read_evidence

Evidence = Mapping[str, object]
Counts = Callable[[Evidence], Mapping[str, float]]

#: Operations of a cycle; others count resets of an open manager.
OPERATIONS = ("cycle", "call", "create", "reset", "step", "render", "launch")


def counted(noun: str, *keys: str) -> Counts:
    """The number, or the length, of the first of these that the evidence has."""

    def counts(evidence: Evidence) -> Mapping[str, float]:
        result = next((evidence[key] for key in keys if evidence.get(key)), None)
        amount = length(result) if number(result) is None else number(result)
        return {} if amount is None else {noun: amount}

    return counts


def left_open(noun: str) -> Counts:
    """Count leftovers of close(), held or until collection."""
    return counted(f"{noun} left", "held", "collected")


def grown(noun: str) -> Counts:
    """A rate of growth, by the operation that it is counted for."""

    def counts(evidence: Evidence) -> Mapping[str, float]:
        growing = read_evidence(Growing, evidence)
        first = next(iter(growing.per_operation), "cycle")
        every = "cycle" if first in OPERATIONS else first
        return {} if growing.per_cycle is None else {f"{noun} per {every}": growing.per_cycle}

    return counts


def longest(evidence: Evidence) -> Mapping[str, float]:
    """The longest of its times."""
    most = read_evidence(Lasting, evidence).longest
    return {} if most is None else {"seconds": most}


def known(amounts: Mapping[str, float | None]) -> Mapping[str, float]:
    """Those that are known."""
    return {noun: amount for noun, amount in amounts.items() if amount is not None}


def number(value: object) -> float | None:
    """A number that is not a truth value."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def length(value: object) -> float | None:
    """Return the length of a list in evidence."""
    return len(value) if isinstance(value, (dict, list, tuple)) else None
