"""A training and its environment follow one interface."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source
from tests.remedies.scripts import mended

SCRIPT = """\
    env = gymnasium.make("CartPole-v1")
    sensor.reset()
    state = env.reset()
    other = sensor.reset()
    {line}
"""
ARM = """\
class Arm(gymnasium.Env):
    def reset(self):
        return self.state

    def step(self, action):
        return self.state, 0.0, self.over, {}
"""


def taken(line: str) -> str:
    """The script with such a line, mended."""
    script = SCRIPT.format(line=line)
    return mended(lambda place: MendFailure(place, "values", "Other"), script, "env.step(")


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (
            "state, reward, done, info = env.step(0)",
            "state, reward, terminated, truncated, info = env.step(0)\ndone = terminated or truncated\n",
        ),
        ("state, reward, _, info = env.step(0)", "state, reward, _, _, info = env.step(0)\n"),
        (
            "state, reward, terminated, truncated = env.step(0)",
            "state, reward, terminated, truncated, _ = env.step(0)\n",
        ),
    ],
)
def test_line_takes_all_that_a_step_returns(line: str, after: str) -> None:
    text = taken(line)
    assert text.endswith(after)
    assert "state, _ = env.reset()\nother = sensor.reset()\n" in text


@pytest.mark.parametrize(
    "line",
    [
        "state, reward, done, terminated = env.step(0)",
        "state, reward = env.step(0)",
        "state, reward, done, info = truncated = env.step(0)",
        "result = env.step(0)",
    ],
)
def test_line_that_is_not_of_an_older_interface_is_left(line: str) -> None:
    assert taken(line) == ""


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("values", "return self.state, 0.0, self.over, False, {}"),
        ("arguments", "def reset(self, *, seed=None, options=None):"),
    ],
)
def test_class_beside_the_script_follows_the_interface(kind: str, after: str) -> None:
    files = {"/train.py": File("/train.py", "obs, info = env.reset(seed=1)\n")}
    arm = files["/arm.py"] = File("/arm.py", ARM)
    aim = MendFailure(Frame("/train.py", 1), "values" if kind == "values" else "arguments", "Arm")
    edits = next(iter(candidates(aim, Source(files, "", "/train.py"))))
    assert {edit.file for edit in edits} == {"/arm.py"}
    assert after in changed(arm, changes(edits, Source(files, "", "/train.py")))
