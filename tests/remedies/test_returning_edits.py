"""What reset() and step() return is what it has to be: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    CastEntry,
    DeclareSpace,
    DetachReturned,
    FloatEntry,
    ReturnArray,
    ReturnFlag,
    TakeBatches,
)
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source

FIELD = source("""\
    import torch


    class Arm(Env):
        def reset(self, *, seed=None):
            return self.state, {}

        def step(self, action):
            info = {"score": self.score, "done": float(self.done), "steps": 3}
            info["score"] = self.best()
            if self.over:
                return self.look(), 0.0, True, self.ends(), info
            return self.look(), 0.0, False, self.ends(), {"other": self.score}
""")


GOALS = """\
    import numpy as np

    class Arm(Env):
        def {name}(self, achieved_goal, desired_goal, info):
            return -{distance}
"""


def test_reward_takes_a_batch_of_goals() -> None:
    where = source(
        GOALS.format(name="compute_reward", distance="np.linalg.norm(achieved_goal - desired_goal)")
    )
    assert "-np.linalg.norm(achieved_goal - desired_goal, axis=-1)" in applied(TakeBatches(), where)


@pytest.mark.parametrize(
    ("name", "distance"),
    [
        ("compute_reward", "np.linalg.norm(achieved_goal - desired_goal, axis=-1)"),
        ("compute_reward", "np.linalg.norm(achieved_goal - desired_goal, 2)"),
        ("compute_reward", "norm(achieved_goal - desired_goal)"),
        ("look", "np.linalg.norm(achieved_goal - desired_goal)"),
    ],
)
def test_other_distances_stay(name: str, distance: str) -> None:
    where = source(GOALS.format(name=name, distance=distance))
    assert list(candidates(TakeBatches(), where)) == []


def test_tensors_are_detached() -> None:
    text = applied(DetachReturned(), FIELD)
    assert "return self.state.detach(), {}" in text
    assert text.count("return self.look().detach(), 0.0") == 2


def test_entry_is_a_float_everywhere() -> None:
    text = applied(FloatEntry("score"), FIELD)
    assert '{"score": float(self.score), "done": float(self.done), "steps": 3}' in text
    assert 'info["score"] = float(self.best())' in text
    assert '{"other": self.score}' in text


def test_entry_that_is_one_already_gets_no_code() -> None:
    assert not list(candidates(FloatEntry("done"), FIELD))


def test_flag_is_true_once_all_are() -> None:
    text = applied(ReturnFlag(3), FIELD)
    assert text.count("all(self.ends().values())") == 2


def test_flag_that_is_a_constant_gets_no_code() -> None:
    assert not list(candidates(ReturnFlag(2), FIELD))


WRAPPER = """\
    import gymnasium as gym


    class Scaled(gym.ObservationWrapper):
        {body}

        def observation(self, observation):
            return observation / 255.0
"""


def test_wrapper_declares_what_it_returns() -> None:
    text = applied(DeclareSpace("Scaled", "float32"), source(WRAPPER.format(body=""), "Scaled"))
    assert (
        "        super().__init__(*args, **kwargs)\n"
        "        shape = self.env.observation_space.shape\n"
        "        self.observation_space = gym.spaces.Box(-np.inf, np.inf, shape, np.float32)\n"
    ) in text
    assert "import numpy as np\n" in text


@pytest.mark.parametrize(
    ("body", "dtype"),
    [("def __init__(self, env): self.observation_space = env.space", "float32"), ("", "uint8")],
)
def test_space_that_is_declared_or_has_bounds_gets_no_code(body: str, dtype: str) -> None:
    where = source(WRAPPER.format(body=body), "Scaled")
    assert not list(candidates(DeclareSpace("Scaled", dtype), where))


ARRAYS = """\
    {start}

    class Arm(Env):
        def reset(self, *, seed=None):
            return {first}, {{}}

        def step(self, action):
            if self.over:
                return {first}, 0.0, True, False, {{}}
            return self.state, 1.0, False, False, {{}}
"""


def test_tuple_is_returned_as_the_other_method_has_it() -> None:
    text = ARRAYS.format(start="import numpy as np", first="np.array(self.state, np.float32)")
    after = applied(ReturnArray("step"), source(text))
    assert after.count("np.array(self.state, np.float32)") == 3
    assert not list(candidates(ReturnArray("reset"), source(text)))


def test_tuple_is_returned_with_the_dtype_of_the_space() -> None:
    text = ARRAYS.format(start="import math", first="self.look()")
    after = applied(ReturnArray("step"), source(text))
    assert after.startswith("import math\nimport numpy as np\n")
    assert "return np.array(self.state, self.observation_space.dtype), 1.0, False" in after
    assert "return np.array(self.look(), self.observation_space.dtype), 0.0, True" in after


def test_conditional_observation_stays() -> None:
    text = ARRAYS.format(start="import numpy as np", first="self.a if seed else self.b")
    assert not list(candidates(ReturnArray("step"), source(text)))


TENSORS = """\
    import torch

    class Base(EnvBase):
        def look(self):
            return {"speed": self.speed}

    class Arm(Base):
        def look(self):
            return {"speed": self.speed.to(torch.float64), "mass": self.mass}

        def _step(self, tensordict):
            return TensorDict({**self.look(), "speed": self.fast()})
"""


def test_entry_has_the_dtype_that_is_specified() -> None:
    text = applied(CastEntry("speed", "float32"), source(TENSORS))
    assert '{"speed": self.speed.to(torch.float32), "mass": self.mass}' in text
    assert '"speed": self.fast().to(torch.float32)}' in text
    assert 'return {"speed": self.speed}' in text  # of a base, which is not called


def test_entry_without_tensors_of_its_own_stays() -> None:
    assert not list(candidates(CastEntry("size", "float32"), source(TENSORS)))
    other = TENSORS.replace("import torch", "from torch import float64")
    assert not list(candidates(CastEntry("speed", "float32"), source(other)))
