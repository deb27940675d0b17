"""The few environments that exercise all there is, through the installed command; and that they do."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from envdoctor.reporters import formats
from tests.live import cover
from tests.live.cover import OWN, Choice
from tests.live.examining import assert_as_expected, cured
from tests.recorded.catalogue import cases

CHOSEN = cover.read()
AGAIN = "run `python -m tests.live.cover`"


@cache
def every() -> dict[str, Choice]:
    """All cases, and the chosen ones that are examined by their own rules."""
    own = {name: cover.own_choice(name.removesuffix(OWN)) for name in CHOSEN if name.endswith(OWN)}
    return cover.choices() | {name: choice for name, choice in own.items() if choice is not None}


#: Remedies of so many are tried as well; all of them in `make everything`.
TRIED = (
    "zoo/cls003_second_close_raises-sick",
    "zoo/cls006_close_leaves_descriptors-sick",
    "zoo/vec006_exception_not_picklable-sick",
)


@pytest.mark.always
@pytest.mark.parametrize("name", CHOSEN)
def test_chosen_case_has_its_findings_and_its_report(name: str, tmp_path: Path) -> None:
    case, report = cover.case_of(name), tmp_path / "report"
    assert_as_expected(case, "--report", f"{CHOSEN[name]}={report}", tries=name in TRIED)
    text = report.read_text(encoding="utf-8")
    assert all(code in text for code in case.says)


def test_chosen_cases_exercise_all_there_is() -> None:
    """A new verb, sensor, manager or scenario needs a case that plays it."""
    assert CHOSEN.keys() <= every().keys(), f"a chosen case is gone or not recorded: {AGAIN}"
    missing = cover.wanted() - cover.all_of(every()[key] for key in CHOSEN)
    recorded = sorted(missing & cover.all_of(every().values()))
    assert not recorded, f"no chosen case exercises the {recorded[0]}: {AGAIN}"
    assert not missing, (
        f"no recorded case exercises the {min(missing)}: add an environment to tests/envs that"
        f" does, run `make record`, and {AGAIN}"
    )


def test_remedies_that_are_tried_are_code() -> None:
    assert all(cured(cases()[key]) for key in TRIED)


@pytest.mark.always
@pytest.mark.parametrize("key", [key for key in TRIED if key not in CHOSEN])
def test_remedy_of_some_is_code_that_was_tried(key: str) -> None:
    assert_as_expected(cover.by_own_rules(cases()[key]))


def test_every_format_is_written() -> None:
    assert set(CHOSEN.values()) == set(formats()), AGAIN


def choices(**seconds: tuple[str, float]) -> dict[str, Choice]:
    return {name: Choice(frozenset(word), cost) for name, (word, cost) in seconds.items()}


def test_cheap_cases_are_chosen_and_redundant_ones_removed() -> None:
    some = choices(one=("ab", 1), other=("bc", 1), both=("abc", 9), rare=("d", 50))
    assert cover.cover(some, "abcd") == ["one", "other", "rare"]
    assert cover.cover(choices(few=("ab", 1), most=("abcd", 3)), "abcd") == ["most"]


def test_uncovered_item_stays_missing() -> None:
    assert cover.cover(choices(one=("a", 1)), "ab") == ["one"]


def test_items_that_a_single_case_covers_are_named() -> None:
    assert cover.alone(choices(one=("abx", 1), other=("bc", 1)), "abc") == {
        "one": ["a"],
        "other": ["c"],
    }
