"""A seeded sample of companies through the installed command. All of them: `make company`."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from envdoctor.rules.engine.registry import catalogue
from tests.company.building import MIXINS, source, statements
from tests.company.catalogue import BY_NAME, ILLNESSES
from tests.company.covering import covering
from tests.company.playing import (
    HIDDEN,
    NOT_JUDGED,
    REPORTED,
    clash,
    fate,
    groups,
    let_through,
    play,
    sample,
    settles,
)

#: Triples of the sample: a cheap one of each kind (leftovers, growth, behaviour).
SAMPLE = (
    ("FileLeft", "TrailPerStep", "ResetRefusesSeed"),
    ("CloseAlwaysRaises", "ListPerStep", "InstancesInterfere"),
    ("ListPerReset", "MappedPerReset", "FramesUntilCollected"),
)


@pytest.mark.everything
@pytest.mark.parametrize("names", SAMPLE, ids="-".join)
def test_no_illness_hides_another(names: tuple[str, ...]) -> None:
    """All are told; and a baseline that knows the first one lets none of the others through."""
    row = play(names)
    assert {name: told for name, (told, _) in row["fates"].items()} == dict.fromkeys(
        names, REPORTED
    ), row
    assert row["gate"] == [], row["findings"]


def test_the_mixins_are_many_and_their_codes_exist() -> None:
    assert sum(not illness.burden for illness in ILLNESSES) >= 40
    assert len(BY_NAME) == len(ILLNESSES)
    known = {entry.code for entry in catalogue()}
    assert {code for illness in ILLNESSES for code in illness.codes} <= known
    assert all(illness.signs or illness.burden for illness in ILLNESSES)


def test_every_mixin_is_in_the_catalogue_and_can_be_built() -> None:
    classes = {
        node.name
        for file in MIXINS.glob("[a-z]*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(item, ast.FunctionDef) and "super()." in ast.unparse(item)
            for item in node.body
        )
    }
    assert classes - {"Plain", "JointError"} <= set(BY_NAME)
    assert set(BY_NAME) <= set(statements())
    for name in BY_NAME:
        compile(source((name,)), name, "exec")


def test_a_company_has_what_its_mixins_need_and_nothing_else() -> None:
    text = source(("MallocPerStep", "ListPerStep"))
    assert text.count("\nclass ") == 5  # the two, Episode, Plain and Sick
    assert "LIBC.malloc.restype" in text
    assert "class Sick(MallocPerStep, ListPerStep, Plain):" in text


def test_samples_are_seeded_and_have_no_clash() -> None:
    assert sample(3, 5, 1) == sample(3, 5, 1) != sample(3, 5, 2)
    assert not any(clash(group) for group in sample(3, 200, 0))
    assert ("CloseRaises", "CloseAlwaysRaises") not in set(groups(2))


def document(*findings: dict[str, Any], passed: str = "", skipped: str = "") -> dict[str, Any]:
    return {
        "findings": list(findings),
        "passed": [{"code": passed}] if passed else [],
        "skipped": [{"code": skipped, "reason": "no time"}] if skipped else [],
    }


def finding(
    code: str, message: str, status: str = "open", severity: str = "error"
) -> dict[str, Any]:
    return {"code": code, "message": message, "status": status, "severity": severity}


def test_fates() -> None:
    illness = BY_NAME["ListPerStep"]
    mine = finding("LEK001", "every step() keeps 1 Python object; kept in sick.VISITED")
    other = finding("LEK001", "every step() keeps 1 Python object; kept in sick.OTHER")
    assert fate(illness, document(mine)) == (REPORTED, "")
    assert fate(illness, document(other, passed="LEK001"))[0] == "hidden"
    assert fate(illness, document(other))[0] == "hidden"
    assert fate(illness, document(skipped="LEK001")) == (NOT_JUDGED, "no time")
    assert fate(illness, document(passed="LEK001", skipped="LEK001"))[0] == "hidden"


def test_new_fault_that_passes_the_gate_is_named() -> None:
    names = ("ThreadLeft", "ListPerStep")
    known = finding("CLS007", "physics", "baselined")
    new = finding("LEK001", "kept in sick.VISITED")

    def passes(code: int, *findings: dict[str, Any]) -> list[str]:
        return let_through(names, "ThreadLeft", code, document(*findings))

    assert passes(1, known, new) == []
    assert passes(0, known, {**new, "status": "baselined"}) == ["ListPerStep"]
    assert passes(0, known, new) == ["exit"]
    assert passes(1, known) == ["exit"]


def row(company: tuple[str, ...], *unseen: str, command: str = "check") -> dict[str, Any]:
    fates = {name: [HIDDEN if name in unseen else REPORTED, ""] for name in company}
    return {"company": list(company), "command": command, "fates": fates, "gate": []}


def test_each_wanted_company_stands_in_a_large_one() -> None:
    wanted = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d", "e")]
    companies = covering(wanted, 4, lambda names: {"a", "c"} <= set(names))
    assert all(any(set(each) <= set(names) for names in companies) for each in wanted)
    assert all(len(names) <= 4 and not {"a", "c"} <= set(names) for names in companies)
    assert len(companies) < len(wanted)


def test_pair_hidden_in_a_large_company_is_not_settled() -> None:
    """It is played alone; what both told is settled, and so is what a later row told."""
    large = row(("FileLeft", "ThreadLeft", "StdoutNoise"), "StdoutNoise")
    small = row(("FileLeft", "StdoutNoise"))
    assert settles(large, ("FileLeft", "ThreadLeft"))
    assert not settles(large, ("FileLeft", "StdoutNoise"))
    assert not settles(large, ("FileLeft", "PortLeft"))
    assert settles(small, ("FileLeft", "StdoutNoise"))
    assert settles(row(("FileLeft", "SlowSteps")), ("FileLeft", "SlowSteps"))
    blinded = {"FileLeft": [NOT_JUDGED, "close() hangs"], "CloseHangs": [REPORTED, ""]}
    company = {**row(("FileLeft", "CloseHangs", "PortLeft")), "fates": blinded}
    assert settles(company, ("FileLeft", "CloseHangs"))
    assert not settles(company, ("FileLeft", "PortLeft"))
    assert not settles({**small, "gate": ["FileLeft: exit"]}, ("FileLeft", "StdoutNoise"))
