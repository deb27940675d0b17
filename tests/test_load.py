"""A few of the zoo on a busy machine; the whole is `make load`."""

from __future__ import annotations

from tests.load import differences, sample

#: What is slow or not is a matter of time; so is what hangs.
FEW = ("cls005_close_slow-healthy", "hng003_reset_hangs-sick", "mak003_slow_constructor-healthy")


def test_a_busy_machine_changes_no_finding() -> None:
    few = [animal for animal in sample() if str(animal) in FEW]
    assert len(few) == len(FEW)
    assert differences(few, number=4) == []
