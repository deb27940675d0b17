"""A few of the zoo on a busy machine; the whole is `make load`."""

from __future__ import annotations

import pytest

from tests.support.load import differences, sample

#: What is slow or not is a matter of time; so is what hangs.
FEW = ("cls005_close_slow-healthy", "hng003_reset_hangs-sick", "mak003_slow_constructor-healthy")


@pytest.mark.everything
@pytest.mark.parametrize("name", FEW)
def test_a_busy_machine_changes_no_finding(name: str) -> None:
    (animal,) = [animal for animal in sample() if str(animal) == name]
    assert list(differences([animal], number=4)) == [[]]
