"""A few of the zoo on a busy machine; the whole is `make load`."""

from __future__ import annotations

import pytest

from tests.support.load import differences, sample

#: A close() that is nearly slow, and growth that another finding explains.
FEW = ("cls005_close_slow-healthy", "prc001_orphans_after_manager_close-sick")


@pytest.mark.everything
@pytest.mark.parametrize("name", FEW)
def test_a_busy_machine_changes_no_finding(name: str) -> None:
    (animal,) = [animal for animal in sample() if str(animal) == name]
    assert list(differences([animal], number=8)) == [[]]
