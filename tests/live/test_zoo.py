"""Every rule, for real: its sick environment has its finding through the installed command, and its
healthy twin has none.
"""

from __future__ import annotations

import pytest

from tests.live.examining import assert_as_expected
from tests.recorded.catalogue import Case, zoo
from tests.support.zoo import animals


@pytest.mark.everything
@pytest.mark.parametrize("case", tuple(zoo()), ids=lambda case: case.name)
def test_sick_has_its_finding_and_healthy_has_none(case: Case) -> None:
    assert_as_expected(case)


def test_every_rule_has_its_animals() -> None:
    from envdoctor.rules.engine.registry import all_rules

    # The doctor's own limits, which tests/rules and tests/run raise, and those of managers,
    # whatever the environment.
    without_environment = {"DOC001", "DOC002", "DOC003", "DOC005"}
    shown = {animal.code for animal in animals() if animal.code}
    assert set(all_rules()) - shown <= without_environment
