"""Every rule, for real: its sick environment raises it through the installed command, its healthy twin raises nothing."""

from __future__ import annotations

import pytest

from tests.interpreters import way_to
from tests.zoo import Animal, animals, examine, told


@pytest.mark.parametrize("animal", animals(), ids=str)
def test_zoo(animal: Animal) -> None:
    if animal.python is None:
        pytest.skip(way_to(animal.interpreter))
    exit_code, document = examine(animal.spec, *animal.arguments, *animal.python, command=animal.command)
    codes = {finding["code"] for finding in document["findings"]}
    if animal.code is None:
        assert told(document, "error", "warning") == []
        assert exit_code == 0
        return
    assert animal.code in codes, told(document)
    unexpected = [finding for finding in document["findings"] if finding["severity"] != "note" and finding["code"] not in {animal.code, *animal.also}]
    assert not unexpected, told(document)
    severities = {finding["severity"] for finding in document["findings"]}
    assert exit_code == (1 if "error" in severities else 0)
    finding = next(finding for finding in document["findings"] if finding["code"] == animal.code)
    assert finding["remedy"]["text"]


def test_every_rule_has_its_animals() -> None:
    from envdoctor.rules.registry import all_rules

    # The doctor's own limits, which tests/rules and tests/supervise raise, and those of managers, whatever the environment.
    without_environment = {"DOC001", "DOC002", "DOC003", "DOC005"}
    shown = {animal.code for animal in animals() if animal.code}
    assert set(all_rules()) - shown <= without_environment
