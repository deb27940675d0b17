"""Every rule, for real: its sick environment raises it through the installed command, its
healthy twin raises nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interpreters import way_to
from tests.mutations import passes_unseen
from tests.zoo import Animal, animals, examine, told

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
    "DET001",
    "DET002",
    "PRC001",
    "SFX004",
    "VEC002",
    "VEC003",
    "VEC006",
}


@pytest.mark.parametrize("animal", animals(), ids=str)
def test_zoo(animal: Animal, tmp_path: Path) -> None:
    if animal.python is None:
        pytest.skip(way_to(animal.interpreter))
    run = tmp_path / "run.jsonl"
    words = (*animal.arguments, *animal.python, "--save", str(run))
    exit_code, document = examine(animal.spec, *words, command=animal.command)
    codes = {finding["code"] for finding in document["findings"]}
    passed = {one["code"] for one in document["passed"]}
    if animal.code is None:
        cured = {animal.file.stem[:6].upper(), *(code for code, _ in animal.gives_way)}
        assert cured <= passed, "silent, but not judged"
        assert told(document, "error", "warning") == []
        assert exit_code == 0
        return
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
    assert passes_unseen(run, animal.code) == []


def test_every_rule_has_its_animals() -> None:
    from envdoctor.rules.engine.registry import all_rules

    # The doctor's own limits, which tests/rules and tests/supervise raise, and those of managers,
    # whatever the environment.
    without_environment = {"DOC001", "DOC002", "DOC003", "DOC005"}
    shown = {animal.code for animal in animals() if animal.code}
    assert set(all_rules()) - shown <= without_environment
