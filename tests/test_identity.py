"""What makes a finding the same one, and what makes it another."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.model.finding import Finding, Remedy
from envdoctor.model.identity import COUNTED, normal
from envdoctor.rules.registry import all_rules

NUMBERS = st.integers(0, 10**9)
NAMES = st.text("abcdefghij", min_size=1, max_size=8)
ROOTS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/" + "/".join(names))


def finding(code: str = "CLS001", message: str = "close() raises OSError: no", **fields: Any) -> Finding:
    return Finding(code, "name", "error", message, Remedy("mend it"), **{"subject": "Env-v0", "manager": "direct", **fields})


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_numbers_are_not_what_it_is(one: int, other: int) -> None:
    texts = [f"worker {number} died of SIGSEGV in step() after {number}.{number} s at 0x{number:x}" for number in (one, other)]
    assert len({finding(message=text).fingerprint for text in texts}) == 1


@settings(deadline=None)
@given(ROOTS, ROOTS, NUMBERS, NUMBERS)
def test_neither_are_lines_roots_and_homes(one: str, other: str, line: int, later: int) -> None:
    spots = [(f"{one}/envs/arm.py", line), (f"{other}/envs/arm.py", later), ("~/envs/arm.py", line)]
    texts = [f"{file}:{number} writes to standard output" for file, number in spots]
    assert len({finding(message=text).fingerprint for text in texts}) == 1
    specs = [f"{root}/arm.py:Arm" for root in (one, other, "~")]
    assert len({finding(subject=spec).fingerprint for spec in specs}) == 1


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30))
def test_neither_is_the_patch_version_of_python(one: int, other: int) -> None:
    texts = [f"python 3.11.{patch} has a known defect that shows here" for patch in (one, other)]
    assert len({finding(message=text).fingerprint for text in texts}) == 1


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(1, 30))
def test_neither_is_how_many_there_are(one: int, other: int) -> None:
    """Counted by evidence, or by words: 1 process, 3 processes."""
    counted = [
        finding("CLS008", f"close() leaves {number} processes: {', '.join('sim' * number)}", evidence={"held": dict.fromkeys(range(number), "sim")})
        for number in (one, other)
    ]
    assert len({each.fingerprint for each in counted}) == 1
    assert [each.measured for each in counted] == [{"processes left": one}, {"processes left": other}]
    assert normal("close() leaves 1 process") == normal(f"close() leaves {one} processes")


@settings(deadline=None)
@given(NAMES, NAMES)
def test_the_values_in_a_message_are_not_what_it_is(one: str, other: str) -> None:
    texts = [f"close() raises OSError: {name} is gone" for name in (one, other)]
    assert len({finding(message=text).fingerprint for text in texts}) == 1


def test_code_subject_place_names_and_kinds_of_errors_are() -> None:
    error = {"type": "builtins.OSError"}
    all_different = [
        finding(evidence={"error": error}),
        finding(evidence={"error": {"type": "builtins.ValueError"}}),
        finding("CLS003", evidence={"error": error}),
        finding(subject="Env-v1", evidence={"error": error}),
        finding(manager="gymnasium-sync", evidence={"error": error}),
        finding(manager="gymnasium-async", start_method="fork", evidence={"error": error}),
        finding(manager="gymnasium-async", start_method="spawn", evidence={"error": error}),
        finding("RUS005", evidence={"attribute": "_client"}),
        finding("RUS005", evidence={"attribute": "_log"}),
        finding(message="close() hangs", evidence={"error": error}),
    ]
    assert len({each.fingerprint for each in all_different}) == len(all_different)


@settings(deadline=None)
@given(st.text(), st.dictionaries(st.text(), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text()))))
def test_whatever_an_environment_says_has_one(message: str, evidence: dict[str, Any]) -> None:
    for code in ("CLS001", "MAK002", "LEK003", "LEK011", "VEC007", "CLS005", "CLS013", *COUNTED):
        assert len(finding(code, message, evidence=evidence).fingerprint) == 16


def test_what_is_counted_are_rules_that_there_are() -> None:
    assert COUNTED.keys() <= all_rules().keys()
