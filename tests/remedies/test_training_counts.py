"""From the line that sets a count back to one that does so at each end, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.training_aims import SetBackAtEnd
from tests.remedies.scripts import mended

STEP = """\
class Counting:
    def step(self, action):
        observation, reward, terminated, cut, info = self.env.step(action)
        over = info["over"]
        {0}
        {1}
        return observation, reward, terminated, cut, info
"""


@pytest.mark.parametrize(
    ("lines", "cured"),
    [
        (
            ("if terminated:", "    self.length = 0"),
            ("if terminated or cut:", "    self.length = 0"),
        ),
        (
            ("if over and info:", "    self.length = 0"),
            ("if (over and info) or cut:", "    self.length = 0"),
        ),
        (
            ("self.length *= 1 - over", "self.sum *= 1 - over"),
            ("self.length *= 1 - (over | cut)", "self.sum *= 1 - (over | cut)"),
        ),
        (
            ("self.length[over] = 0", "self.sum[over] = 0.0"),
            ("self.length[(over | cut)] = 0", "self.sum[(over | cut)] = 0.0"),
        ),
    ],
)
def test_count_is_set_back_at_each_end(lines: tuple[str, str], cured: tuple[str, str]) -> None:
    assert mended(SetBackAtEnd, STEP.format(*lines), "self.length") == STEP.format(*cured)


@pytest.mark.parametrize(
    "text",
    [
        STEP.format("self.length = 0", "pass"),  # at each step
        STEP.format("if terminated:", "    self.length = 0").replace("terminated, cut", "*ends"),
        "self.length = 0\n",
    ],
)
def test_line_without_a_condition_or_a_name_for_the_end_stays(text: str) -> None:
    assert mended(SetBackAtEnd, text, "self.length") == ""
