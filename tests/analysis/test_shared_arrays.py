"""Two names of one array in a function, as its source has them."""

from __future__ import annotations

import pytest

from envdoctor.analysis.shared_arrays import shared_array

STEP = """
class Executor:
    def step(self, actions):
        rewards, dones = self.play(actions)
        dones = np.asarray(dones)
        {bound}
        {written}
        return rewards, {returned}
"""


def lines_of(bound: str, written: str, returned: str = "dones, over") -> tuple[int, int] | None:
    text = STEP.format(bound=bound, written=written, returned=returned)
    known = shared_array(text, 3, 1, 2)
    return known and (known.bound, known.written)


@pytest.mark.parametrize(
    "bound",
    [
        "over = np.asarray(dones)",
        "over = dones",
        "over = dones.view()",
        "over = dones.reshape(-1)",
        "over = np.array(dones) if copies else np.asarray(dones)",
    ],
)
@pytest.mark.parametrize(
    "written",
    ["over[self.steps > 9] = True", "dones[0] = True", "over |= self.cut", "over[0] += 1"],
)
def test_name_that_is_bound_without_a_copy_and_written_is_seen(bound: str, written: str) -> None:
    assert lines_of(bound, written) == (6, 7)


@pytest.mark.parametrize(
    ("bound", "written", "returned"),
    [
        ("over = np.array(dones)", "over[0] = True", "dones, over"),
        ("over = dones.copy()", "over[0] = True", "dones, over"),
        ("over = dones | self.cut", "over[0] = True", "dones, over"),
        ("over = np.asarray(dones)", "pass", "dones, over"),
        ("over = np.asarray(dones)", "over = over | self.cut", "dones, over"),
        ("dones[0] = True", "over = np.asarray(dones)", "dones, over"),  # before it
        ("over = np.asarray(dones)", "over[0] = True", "dones, dones"),
        ("over = np.asarray(dones)", "over[0] = True", "dones, over.copy()"),
        ("over = np.asarray(dones)", "over[0] = True", "dones"),
        ("over = np.asarray(dones)", "rewards[0] = True", "dones, over"),
    ],
)
def test_others_are_not(bound: str, written: str, returned: str) -> None:
    assert lines_of(bound, written, returned) is None


@pytest.mark.parametrize("text", ["", "def step(", "def step(self):\n    return 1, 2, 3"])
def test_other_sources_have_none(text: str) -> None:
    assert shared_array(text, 1, 1, 2) is None
