"""From a temporary folder of each episode, and an evaluation that learns, to what mends them."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import DeleteFolder, EvaluateOnly
from tests.remedies.scripts import mended

PAINTING = """
import tempfile
from pathlib import Path
class Painting(gym.Env):
    def reset(self, *, seed=None, options=None):
        self.folder = Path(tempfile.mkdtemp(prefix="x-"))
        return 0, {}
"""


def test_folder_goes_when_the_next_is_made() -> None:
    assert mended(DeleteFolder, PAINTING, "mkdtemp(").endswith(
        """\
        self._temporary_folder = tempfile.TemporaryDirectory(prefix="x-")
        self.folder = Path(self._temporary_folder.name)
        return 0, {}
"""
    )
    named = PAINTING.replace("import tempfile", "from tempfile import mkdtemp")
    text = mended(DeleteFolder, named.replace("tempfile.mkdtemp", "mkdtemp"), "mkdtemp(")
    assert "from tempfile import TemporaryDirectory\n" in text
    assert 'self._temporary_folder = TemporaryDirectory(prefix="x-")\n' in text


@pytest.mark.parametrize(
    "text",
    [
        PAINTING.replace("return", "print(self.folder)\n        return"),
        PAINTING.replace("return", "wandb.save(str(self.folder))\n        return"),
        PAINTING.replace("Path(tempfile.mkdtemp(", "log(tempfile.mkdtemp("),
        PAINTING.replace('prefix="x-"', "dir=tempfile.mkdtemp()"),
        "def make():\n    return tempfile.mkdtemp()\n",
        PAINTING.replace("return", "self._temporary_folder = 3\n        return"),
    ],
    ids=["printed", "saved", "logged", "two on a line", "a function", "the name is taken"],
)
def test_folder_that_may_be_read_later_stays(text: str) -> None:
    assert mended(DeleteFolder, text, "mkdtemp(") == ""


def evaluate_only(text: str, part: str) -> str:
    def aim(place: Frame) -> EvaluateOnly:
        return EvaluateOnly(place, ("training", "norm_reward"))

    return mended(aim, text, part)


SCRIPT = """
def train():
    evaluation = VecNormalize(make())
    for _ in range(3):
        model.learn(64)
        evaluate_policy(model, {})
"""


@pytest.mark.parametrize("argument", ["evaluation", "env=evaluation", "evaluation, n_eval=3"])
def test_vectorizer_of_an_evaluation_learns_nothing(argument: str) -> None:
    text = evaluate_only(SCRIPT.format(argument), "evaluate_policy")
    lines = "    evaluation.training = False\n    evaluation.norm_reward = False\n"
    assert f"make())\n{lines}    for _ in" in text


def test_vectorizer_that_a_method_steps_learns_nothing_before_its_loop() -> None:
    text = """
class Curriculum:
    def evaluate(self):
        sync(self.eval_env)
        for _ in range(5):
            obs, done = self.eval_env.reset(), False
            while not done:
                obs, _, done, _ = self.eval_env.step(act(obs))
"""
    mended_text = evaluate_only(text, "eval_env.step")
    assert "sync(self.eval_env)\n        self.eval_env.training = False\n" in mended_text


def test_vectorizer_of_each_round_is_set_below_its_line() -> None:
    text = """
def train():
    for _ in range(3):
        evaluation = VecNormalize(make())
        evaluate_policy(model, evaluation)
"""
    mended_text = evaluate_only(text, "evaluate_policy")
    assert "make())\n        evaluation.training = False\n" in mended_text


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT.format("make_env()"),
        SCRIPT.format(""),
        SCRIPT.format("evaluation").replace("    for", "    evaluation.training = False\n    for"),
        "a.step(1), b.step(2)  # evaluate_policy\n",
    ],
    ids=["made there", "no argument", "set already", "two"],
)
def test_evaluation_whose_vectorizer_is_not_sure_stays(text: str) -> None:
    assert evaluate_only(text, "evaluate_policy") == ""
