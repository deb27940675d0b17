"""From a step() that returns what reset() has seen to one that reads the state after it, by values."""

from __future__ import annotations

import textwrap

import pytest

from envdoctor.model.failure_aims import ReadLast
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import File, Source

FILE = "/arm.py"
FRAMES = """\
class Arm:
    def reset(self):
        self.frames = [0.0]
        return self.observe(), {}

    def observe(self):
        return self.frames[0]

    def step(self, action):
        self.frames.append(self.frames[-1] + action)
        return self.observe(), 0.0, False, False, {}
"""
HELD = """\
class Arm:
    def reset(self):
        return self.observe(), {}

    def observe(self, frame=0):
        return self.simulator.get_x(frame)

    def cost(self):
        return self.simulator.get_x(self.simulator.now).sum()

    def step(self, action):
        self.simulator.step(action)
        observation = self.observe()
        return observation, -self.cost(), False, False, {}
"""


def read(text: str) -> list[str]:
    file = File(FILE, textwrap.dedent(text))
    source = Source({FILE: file}, "Arm", FILE)
    return [changed(file, changes(edits, source)) for edits in candidates(ReadLast(), source)]


def test_last_of_what_step_appends_is_read() -> None:
    assert read(FRAMES) == [FRAMES.replace("self.frames[0]", "self.frames[-1]")]
    by_method = FRAMES.replace("self.frames.append(self.frames[-1] + action)", "self.move(action)")
    by_method += "\n    def move(self, action):\n        self.frames.append(action)\n"
    assert read(by_method) == [by_method.replace("self.frames[0]", "self.frames[-1]")]


def test_line_reads_as_another_one_of_the_same_object() -> None:
    now = "get_x(self.simulator.now)\n"
    mended = HELD.replace("observe(self, frame=0)", "observe(self)").replace("get_x(frame)\n", now)
    assert read(HELD) == [mended]
    plain = HELD.replace("observe(self, frame=0)", "observe(self)").replace("(frame)", "(0)")
    assert read(plain) == [mended]


@pytest.mark.parametrize(
    ("text", "part", "other"),
    [
        (FRAMES, "self.frames.append", "self.others.append"),
        (FRAMES, "self.frames[0]", "self.frames[1]"),
        (FRAMES, "return self.observe(), 0.0", "return 1, 0.0"),
        (HELD, "observation = self.observe()", "observation = self.observe(3)"),
        (HELD, "frame=0", "frame=1"),
        (HELD, "self.simulator.now)", "frame)"),
        (HELD, ".get_x(self.simulator.now)", ".get_y(self.simulator.now)"),
        (HELD, "self.simulator.get_x(frame)", "self.simulator.get_x(frame) + frame"),
    ],
    ids=[
        "nothing is added",
        "another place",
        "something else is returned",
        "a frame is given",
        "another default",
        "of a variable",
        "of another method",
        "used twice",
    ],
)
def test_observation_that_may_stay_on_purpose_stays(text: str, part: str, other: str) -> None:
    assert part in text
    assert read(text.replace(part, other)) == []
