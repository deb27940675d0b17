"""Wrappers of the user's own around the environment of a library: they are cured, and the library
is not touched.
"""

from __future__ import annotations

from pathlib import Path

from tests.support.zoo import examine

WRAPPER = """\
import gymnasium


class Bonus(gymnasium.Wrapper):
    def reset(self{arguments}):
        observation, info = self.env.reset()
        self.notes = open("notes.txt", "a")
        return observation, info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward + 1.0, terminated, truncated, info


def make():
    return Bonus(gymnasium.make("CartPole-v1"))
"""


def test_wrapper_of_a_librarys_environment_is_cured(tmp_path: Path) -> None:
    path = tmp_path / "bonus.py"
    path.write_text(WRAPPER.format(arguments=", *, seed=None, options=None"))
    words = ("--managers", "direct", "--select", "DET001,CLS006", "--fix")
    _, document = examine("bonus.py:make", *words, cwd=tmp_path)
    assert {each["code"] for each in document["fixes"]["cured"]} == {"DET001", "CLS006"}
    assert [each["file"] for each in document["fixes"]["files"]] == [str(path)]
    text = path.read_text()
    assert "self.env.reset(seed=seed, options=options)" in text
    assert "            self.notes.close()\n" in text.partition("def close(self):")[2]
    assert not document["findings"]


def test_wrapper_that_refuses_the_seed_of_managers_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "bonus.py"
    path.write_text(WRAPPER.format(arguments=""))
    words = ("--managers", "direct,gymnasium-sync", "--select", "VEC008,DET001", "--fix")
    _, document = examine("bonus.py:make", *words, cwd=tmp_path)
    assert {each["code"] for each in document["fixes"]["cured"]} == {"VEC008"}
    text = path.read_text()
    assert "    def reset(self, *, seed=None, options=None):\n" in text
    assert "self.env.reset(seed=seed, options=options)" in text
    assert not document["findings"]
