"""Objects under wrappers."""

from __future__ import annotations

import gymnasium

from envdoctor.probe.wrappers import innermost, innermost_of, wrappers


class Foreign:
    """An environment with an interface of its own."""

    @property
    def unwrapped(self):
        return self


class Gives(gymnasium.Env):
    """Gives it Gymnasium's."""

    def __init__(self):
        self.env = Foreign()

    @property
    def unwrapped(self):
        return self.env.unwrapped


def test_the_innermost_one_of_an_interface():
    given = Gives()
    around = gymnasium.Wrapper(given)
    assert isinstance(innermost(around), Foreign)
    assert list(wrappers(around)) == [around, given]
    assert innermost_of(around, gymnasium.Env) is given
    assert innermost_of(given.env, gymnasium.Env) is given.env


def test_an_ordinary_one():
    made = gymnasium.make("CartPole-v1")
    assert innermost_of(made, gymnasium.Env) is made.unwrapped
    assert list(wrappers(made.unwrapped)) == []
    made.close()
