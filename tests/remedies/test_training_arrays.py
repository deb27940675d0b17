"""From the line that gives an array a second name to a copy there, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import CopyBound
from tests.remedies.scripts import mended


@pytest.mark.parametrize(
    ("line", "copied"),
    [
        ("completes = np.asarray(dones)", "completes = np.array(dones)"),
        ("completes = asanyarray(dones, bool)", "completes = array(dones, bool)"),
        ("completes = dones", "completes = dones.copy()"),
        ("completes = self.dones[:]", "completes = self.dones[:].copy()"),
        ("completes = dones.reshape(-1)", "completes = dones.reshape(-1).copy()"),
    ],
)
def test_second_name_gets_a_copy(line: str, copied: str) -> None:
    assert mended(CopyBound, f"{line}\n", "completes") == f"{copied}\n"


@pytest.mark.parametrize(
    "line", ["completes, dones = both()", "return completes", "completes = yes if a else no"]
)
def test_line_that_gives_no_single_array_stays(line: str) -> None:
    text = f"def step(self):\n    {line}\n"
    assert mended(CopyBound, text, "completes") == ""
