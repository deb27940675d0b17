"""Addresses that another instance has."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import ErrorValue
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.evidence.used_addresses import ADDRESS_IN_USE, is_used_by_another

IN_USE = ErrorValue.decode(ADDRESS_IN_USE)
OTHER = raised("ValueError", "no map")


@pytest.mark.parametrize(
    ("beside", "error", "is_used"),
    [
        (ADDRESS_IN_USE, IN_USE, True),
        (OTHER, IN_USE, False),
        (ADDRESS_IN_USE, ErrorValue.decode(OTHER), False),
        (ADDRESS_IN_USE, None, False),
    ],
)
def test_address_is_that_of_another_instance_where_two_cannot_have_it(
    beside: dict[str, object], error: ErrorValue | None, is_used: bool
) -> None:
    both = trace(verb("make"), verb("reset@1", "raised", at=3, error=beside), name="two-at-once")
    assert is_used_by_another(direct_view(both), error) is is_used


def test_address_that_is_free_for_two_is_not_explained() -> None:
    both = trace(verb("make"), verb("make", at=1), verb("reset@1", at=3), name="two-at-once")
    assert not is_used_by_another(direct_view(both), IN_USE)
    assert not is_used_by_another(direct_view(), IN_USE)
