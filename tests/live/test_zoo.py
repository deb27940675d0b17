"""Every rule, for real: its sick environment raises it through the installed command, its
healthy twin raises nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import Animal, animals, examine, told

#: Those whose source says enough for code: it is applied to a copy, played, and shown.
CURED = {
    "API010",
    "CLS001",
    "CLS002",
    "CLS003",
    "CLS006",
    "CLS007",
    "CLS008",
    "CLS009",
    "CLS010",
    "CLS012",
    "CLS014",
    "CLS022",
    "DET001",
    "DET002",
    "PRC001",
    "SFX004",
    "VEC002",
    "VEC003",
    "VEC006",
}


SICK = [animal for animal in animals() if animal.code]
HEALTHY = [animal for animal in animals() if not animal.code]


def examined(animal: Animal, *more: str) -> tuple[int, dict[str, Any]]:
    if animal.python is None:
        pytest.skip(way_to(animal.interpreter))
    words = (*animal.arguments, *animal.python, *more)
    return examine(animal.spec, *words, command=animal.command)


@pytest.mark.parametrize("animal", SICK, ids=str)
def test_the_sick_one_is_told(animal: Animal) -> None:
    tried = animal.code in CURED or animal.command == "watch"  # whose remedies are looked at
    words = () if tried else ("--no-try-remedies",)
    exit_code, document = examined(animal, *words)
    codes = {finding["code"] for finding in document["findings"]}
    assert animal.code in codes, told(document)
    unexpected = [
        finding
        for finding in document["findings"]
        if finding["severity"] != "note" and finding["code"] not in {animal.code, *animal.also}
    ]
    assert not unexpected, told(document)
    severities = {finding["severity"] for finding in document["findings"]}
    assert exit_code == (1 if "error" in severities else 0)
    reasons = {(one["code"], one["reason"]) for one in document["skipped"]}
    assert {(code, f"explained by {by}") for code, by in animal.gives_way} <= reasons
    finding = next(finding for finding in document["findings"] if finding["code"] == animal.code)
    assert finding["remedy"]["text"]
    if animal.code in CURED:
        assert finding["remedy_verified"], finding["remedy"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("animal", HEALTHY, ids=str)
def test_its_healthy_twin_is_not_accused(animal: Animal) -> None:
    exit_code, document = examined(animal)
    passed = {one["code"] for one in document["passed"]}
    cured = {animal.file.stem[:6].upper(), *(code for code, _ in animal.gives_way)}
    assert cured <= passed, "silent, but not judged"
    assert told(document, "error", "warning") == []
    assert exit_code == 0


def test_every_rule_has_its_animals() -> None:
    from envdoctor.rules.engine.registry import all_rules

    # The doctor's own limits, which tests/rules and tests/supervise raise, and those of managers,
    # whatever the environment.
    without_environment = {"DOC001", "DOC002", "DOC003", "DOC005"}
    shown = {animal.code for animal in animals() if animal.code}
    assert set(all_rules()) - shown <= without_environment
