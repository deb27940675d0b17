"""Skipped tests in a few lines: how many there are, and which command enables them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from tests.interpreters import NAMES, ON_REQUEST

#: The tests that are counted apart: what they play is why there are interpreters.
TROUBLES = "tests/frameworks/test_four_troubles.py"

#: More reasons than these are only counted.
REASONS = 4


def lines(skipped: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Sum up skipped tests, the most important line last.

    Args:
        skipped: (node id, reason) of each.
    """
    tests = list(skipped)
    yield from _other_reasons(Counter(why for _, why in tests if not _interpreter(why)))
    wanted = Counter(_interpreter(why) for _, why in tests)
    on_request = {name: wanted[name] for name in sorted(ON_REQUEST) if wanted[name]}
    if on_request:
        names = ", ".join(f"{name} ({_count(number)})" for name, number in on_request.items())
        yield f"not tried: {names}: make interpreters FRAMEWORKS=.interpreters/NAME/.ready"
    rest = [node for node, why in tests if _interpreter(why) not in ("", *ON_REQUEST)]
    troubles = sum(node.startswith(TROUBLES) for node in rest)
    parts = [f"the four troubles with their frameworks ({_count(troubles)})"] if troubles else []
    if len(rest) > troubles:
        parts.append(_count(len(rest) - troubles, "other test" if troubles else "test"))
    if parts:
        yield f"not tried: {' and '.join(parts)}: make interpreters && make test"


def reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """The reason why a test or file was skipped."""
    place = report.longrepr
    return place[2].removeprefix("Skipped: ") if isinstance(place, tuple) else str(place)


def _other_reasons(reasons: Counter[str]) -> Iterator[str]:
    if reasons:
        shown = [f"{why} ({_count(number)})" for why, number in reasons.most_common(REASONS)]
        others = sum(number for _, number in reasons.most_common()[REASONS:])
        if others:
            shown.append(f"others ({_count(others)})")
        yield f"skipped: {'; '.join(shown)}"


def _interpreter(reason: str) -> str:
    """The interpreter whose absence is the reason; empty for other reasons."""
    return next((name for variable, name in NAMES.items() if f"{variable}=" in reason), "")


def _count(number: int, noun: str = "test") -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
