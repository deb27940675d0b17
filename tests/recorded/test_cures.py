"""The count of verified code, by values, and the page that has it."""

from __future__ import annotations

from typing import Any

from tests.recorded import keeping
from tests.recorded.cures import PAGE, Cures, choices, cures_in, current, table, with_table

OWN = "/checkout/tests/envs/arm.py:12 close"
LIBRARY = "/checkout/.interpreters/frameworks/lib/python3.11/site-packages/torchrl/envs/common.py:1"


def _snapshot(*blocks: tuple[str, str, bool | None]) -> dict[str, Any]:
    names = ("code", "location", "verified")
    return {"findings": [dict(zip(names, block, strict=True)) for block in blocks]}


def test_one_finding_with_code_counts_for_its_environment() -> None:
    snapshot = _snapshot(("CLS006", OWN, False), ("CLS006", OWN, True), ("CLS001", OWN, True))
    assert dict(cures_in(snapshot, ["CLS006"])) == {"CLS006": Cures(1, 1)}


def test_finding_without_verified_code_counts_as_one_without() -> None:
    snapshot = _snapshot(("CLS006", OWN, False), ("DET001", OWN, None))
    assert dict(cures_in(snapshot, ["CLS006", "DET001"])) == {
        "CLS006": Cures(1),
        "DET001": Cures(1),
    }


def test_finding_outside_of_own_files_is_not_counted() -> None:
    snapshot = _snapshot(("VEC002", LIBRARY, True), ("REG001", "", None))
    assert dict(cures_in(snapshot, ["VEC002", "REG001", "CLS006"])) == {}


def test_table_has_a_row_for_each_family_with_each_rule() -> None:
    counts = {"CLS001": Cures(1), "CLS006": Cures(3, 2), "HNG003": Cures(7)}
    text = table(counts, {"a limit": 5, "a name": 1})
    assert "Of the 9 others, 6 depend on: a limit (5); a name (1)." in text
    assert (
        "All rules: 2 of 11 (18 %). Rules with code for one of them or more: 2 of 3 (66 %)." in text
    )
    each = "[CLS001](rules/CLS001.md) 0 of 1, [CLS006](rules/CLS006.md) 2 of 3"
    assert f"| CLS | 2 of 4 (50 %) | {each} |" in text
    assert text.endswith("| HNG | 0 of 7 (0 %) | [HNG003](rules/HNG003.md) 0 of 7 |")


def test_page_has_the_count_of_the_recordings() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_table(page, current()), "python -m tests.recorded cures"


def test_cases_that_depend_on_a_choice_have_no_code() -> None:
    listed = [each.split() for some in choices().values() for each in some]
    assert len(listed) == len({tuple(each) for each in listed})
    for key, code in listed:
        snapshot = keeping.snapshot(key)
        assert snapshot is not None, key
        assert dict(cures_in(snapshot, [code])) == {code: Cures(1)}, (key, code)
