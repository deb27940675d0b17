"""Changes that keep the fingerprint of a finding, and changes that make it another finding."""

from __future__ import annotations

import inspect
import sys
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.model.finding import Finding, Remedy
from envdoctor.model.fingerprint import normal
from envdoctor.rules.engine.registry import Rule, all_rules, growing

NUMBERS = st.integers(0, 10**9)
NAMES = st.text("abcdefghij", min_size=1, max_size=8)
ROOTS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/" + "/".join(names))


def finding(
    code: str = "CLS001", message: str = "close() raises OSError: no", **fields: Any
) -> Finding:
    return Finding(
        code,
        "name",
        "error",
        message,
        Remedy("mend it"),
        **{"subject": "Env-v0", "manager": "direct", **fields},
    )


@settings(deadline=None)
@given(st.text(), st.text())
def test_words_are_not_what_it_is(one: str, other: str) -> None:
    assert len({finding(message=text).fingerprint for text in (one, other)}) == 1


@settings(deadline=None)
@given(ROOTS, ROOTS)
def test_neither_are_roots_and_homes(one: str, other: str) -> None:
    roots = (one, other, "~")
    specs = [f"{root}/arm.py:Arm" for root in roots]
    assert len({finding(subject=spec).fingerprint for spec in specs}) == 1
    places = [{"path": f"{root}/arm.py"} for root in roots]
    assert len({finding(evidence=place).fingerprint for place in places}) == 1


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_neither_are_numbers_in_what_it_is_about(one: int, other: int) -> None:
    abouts = [{"attribute": f"self.arms[{number}]"} for number in (one, other)]
    assert len({finding(evidence=about).fingerprint for about in abouts}) == 1
    assert normal("close() leaves 1 process") == normal(f"close() leaves {one} processes")


every_rule = pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)


def examples_of(rule: Rule) -> list[list[Finding]]:
    """Return the findings of the rule in each of its examples."""
    module = sys.modules[rule.judge.__module__]
    return [list(rule.judge(example.view)) for example in module.EXAMPLES]


@every_rule
def test_every_message_may_be_reworded(rule: Rule) -> None:
    """Neither the message nor the remedy is in a fingerprint, nor a sentence of the rule's own."""
    source = inspect.getsource(sys.modules[rule.judge.__module__])
    for one in chain.from_iterable(examples_of(rule)):
        reworded = one.but(message="another sentence", remedy=Remedy("another cure"))
        assert reworded.fingerprint == one.fingerprint
        assert not [part for part in one.key or () if part.count(" ") > 3 and part in source]


@every_rule
def test_two_findings_of_one_rule_are_two(rule: Rule) -> None:
    for found in examples_of(rule):
        assert len({one.fingerprint for one in found}) == len(found)


def test_rules_count_what_baselines_compare() -> None:
    measured = {
        noun
        for rule in all_rules().values()
        for found in examples_of(rule)
        for one in found
        for noun in one.measured
    }
    assert {"descriptors left", "descriptors per cycle", "seconds", "bytes kept"} <= measured
    assert growing()["native bytes"] == "LEK003"


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
        finding(key=("close", "hangs")),
    ]
    assert len({each.fingerprint for each in all_different}) == len(all_different)


@settings(deadline=None)
@given(
    st.text(),
    st.dictionaries(st.text(), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text()))),
)
def test_whatever_an_environment_says_has_one(message: str, evidence: dict[str, Any]) -> None:
    one = finding("CLS001", message, evidence=evidence)
    assert len(one.fingerprint) == len(one.fingerprint_v1) == 16
