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


CONTROL = """\
import gymnasium as gym
import numpy as np


def make(env):
    env.reset()
    return Controller(env.limits, env.tau, other.limits)


def play(env):
    return env.limits
"""


def test_attributes_of_what_is_wrapped_are_read_there() -> None:
    text = mended(lambda place: MendFailure(place, "layer", "limits"), CONTROL, "Controller")
    assert text == ""
    assert mended(
        lambda place: MendFailure(place, "layer", "limits"), CONTROL, "return env.limits"
    ) == ("env.unwrapped.limits\n".join(CONTROL.rsplit("env.limits\n", 1)))
    alone = CONTROL.replace(", other.limits", "")
    assert mended(lambda place: MendFailure(place, "layer", "limits"), alone, "Controller") == (
        alone.replace("env.limits, env.tau", "env.unwrapped.limits, env.unwrapped.tau")
    )


def test_module_that_registers_an_id_is_imported() -> None:
    text = mended(lambda place: MendFailure(place, "import", "arms.envs"), CONTROL, "Controller")
    assert "numpy as np\nimport arms.envs  # noqa: F401, registers its environments\n" in text
    known = "import arms\n\nenv = make()\n"
    assert mended(lambda place: MendFailure(place, "import", "arms"), known, "make") == ""


CLIENT = """\
import asyncio


class Client:
    def __init__(self):
        {made}

    def lock(self):
        {first}
        return self._lock

    async def ask(self):
        async with self.lock():
            return 1
"""


def asked(made: str, first: str) -> str:
    text = CLIENT.format(made=made, first=first)
    return mended(lambda place: MendFailure(place, "mutex"), text, "async with")


def test_lock_is_made_anew_in_each_event_loop() -> None:
    first = 'if not hasattr(self, "_lock"):\n            self._lock = asyncio.Lock()'
    text = asked("self.count = 0", first)
    assert (
        'if getattr(self, "_loop_of_lock", None) is not asyncio.get_running_loop():\n'
        "            self._lock, self._loop_of_lock = asyncio.Lock(), asyncio.get_running_loop()\n"
    ) in text
    text = asked("self._lock = asyncio.Lock()", "pass")
    assert "        self._loop_of_lock = weakref.WeakKeyDictionary()\n" in text
    assert "import asyncio\nimport weakref\n" in text
    assert (
        "return self._loop_of_lock.setdefault(asyncio.get_running_loop(), asyncio.Lock())" in text
    )


@pytest.mark.parametrize(
    ("made", "first"),
    [
        ("self._lock = threading.Lock()", "pass"),
        ("self._lock = asyncio.Semaphore(self.most)", "pass"),
        ("self._lock = self._other = asyncio.Lock()", "pass"),
        ("self._lock = asyncio.Lock()", "self._lock = asyncio.Lock()"),
    ],
)
def test_lock_that_is_made_otherwise_is_left(made: str, first: str) -> None:
    assert asked(made, first) == ""


WRAPPED = """\
def make(size):
    return Flat(Arm(), size)

arm = Flat(make(3), size)
"""


def test_environment_is_wrapped_in_a_class_once() -> None:
    def wrapped_once(text: str) -> str:
        return mended(lambda place: MendFailure(place, "wrapped", "Flat"), text, "arm =")

    assert wrapped_once(WRAPPED) == WRAPPED.replace("Flat(make(3), size)", "make(3)")
    both = "arm = wrappers.Flat(wrappers.Flat(Arm()))\n"
    assert wrapped_once(both) == "arm = wrappers.Flat(Arm())\n"
    for old, new in (
        ("make(3), size", "make(3), 2"),
        ("Flat(Arm", "Thin(Arm"),
        ("make(3), ", "env="),
    ):
        assert wrapped_once(WRAPPED.replace(old, new)) == "", old
