"""Layers of wrappers that close() gets through."""

from __future__ import annotations

import gymnasium
import pytest

from envdoctor.probe.tracing.close_layers import watch_layers


class Journal:
    """Keeps the last fact."""

    value = None

    def write(self, event, key, value):
        assert (event, key) == ("fact", "close-layers")
        self.value = value


class Maze(gymnasium.Env):
    def close(self):
        self.closed = True


class Open(gymnasium.Env):
    """Nothing to close."""


class Passes(gymnasium.Wrapper):
    """Inherits close()."""


class Stops(gymnasium.Wrapper):
    def close(self):
        """It forgets the next."""


class Imitation:
    """No wrapper of Gymnasium's, and broken at that."""

    def __init__(self, env):
        self.inside = env

    @property
    def unwrapped(self):
        return self.inside.unwrapped

    @property
    def env(self):
        raise RuntimeError("not yet")

    def close(self):
        self.inside.close()


def followed(environment):
    journal = Journal()
    stop = watch_layers(environment, journal)
    environment.close()
    stop()
    return journal.value


@pytest.mark.parametrize(
    ("build", "called"),
    [
        (lambda: Passes(Passes(Maze())), [True, True]),
        (lambda: Stops(Passes(Maze())), [True, False]),
        (lambda: Passes(Stops(Maze())), [True, True]),
        (lambda: Passes(Stops(Passes(Maze()))), [True, True, False]),
        (lambda: Imitation(Maze()), [True]),
    ],
)
def test_each_layer_is_reported(build, called):
    told = followed(build())
    assert [layer["called"] for layer in told["layers"]] == called
    assert (told["inner"]["name"], told["inner"]["idle"]) == ("Maze", False)


def test_layer_has_the_place_of_its_close():
    (told,) = followed(Stops(Maze()))["layers"]
    assert told["place"]["file"] == __file__
    assert told["place"]["function"].endswith("close")
    assert told["inherits"]
    assert not followed(Imitation(Maze()))["layers"][0]["inherits"]


def test_a_close_that_does_nothing_is_idle():
    assert followed(Stops(Open()))["inner"]["idle"]


def test_without_a_wrapper():
    assert followed(Maze())["layers"] == []


def test_the_classes_are_as_they_were():
    before = [dict(kind.__dict__) for kind in (Passes, Stops, Maze, gymnasium.Wrapper)]
    followed(Passes(Stops(Maze())))
    assert [dict(kind.__dict__) for kind in (Passes, Stops, Maze, gymnasium.Wrapper)] == before
