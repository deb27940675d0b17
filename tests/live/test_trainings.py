"""Rules on trainings of which no other test plays an environment that must raise them, and its
healthy twin.
"""

from __future__ import annotations

import pytest

from tests.live.examining import assert_as_expected
from tests.recorded.catalogue import cases

RULES = ("trn036_actions_not_scaled", "trn037_variable_bound_late")


@pytest.mark.parametrize("condition", ["sick", "healthy"])
@pytest.mark.parametrize("rule", RULES)
def test_training_is_reported_or_passes(rule: str, condition: str) -> None:
    assert_as_expected(cases()[f"zoo/{rule}-{condition}"])
