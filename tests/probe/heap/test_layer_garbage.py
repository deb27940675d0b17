"""The layer of a wrapped environment whose code makes the cycles of its garbage."""

from __future__ import annotations

import tempfile

import gymnasium
import numpy as np
import pytest

from envdoctor.probe.growth.cycles import Size
from envdoctor.probe.tracing.layer_garbage import components, cycle_kinds, origin

BYTES = 100_000


class Frame:
    def __init__(self, pixels):
        self.pixels = pixels
        self.show = self.draw

    def draw(self):
        return self.pixels


class Maze(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(1), {}

    def step(self, action):
        return np.zeros(1), 0.0, False, False, {"camera": bytearray(BYTES)}

    def picture(self):
        return bytearray(BYTES)

    def keep(self, thing):
        pass


class MakesFrames(Maze):
    def picture(self):
        return Frame(bytearray(BYTES)).pixels


class Keeps(Maze):
    def keep(self, thing):
        both = [thing]
        both.append(both)


class FilledByFunction(Maze):
    def step(self, action):
        result = super().step(action)
        fill(result[-1])
        return result


def fill(info):
    info["final"] = info


class Clips(gymnasium.Wrapper):
    def step(self, action):
        Frame(bytearray(BYTES))
        return self.env.step(action)


class Nests(gymnasium.Wrapper):
    def step(self, action):
        result = self.env.step(action)
        result[-1]["final"] = result[-1]
        return result


class Reads(gymnasium.Wrapper):
    def step(self, action):
        result = self.env.step(action)
        result[-1].get("final")
        return result


class Asks(gymnasium.Wrapper):
    def step(self, action):
        self.unwrapped.picture()
        return self.env.step(action)


class Gives(gymnasium.Wrapper):
    def step(self, action):
        self.unwrapped.keep(bytearray(BYTES))
        return self.env.step(action)


class Numbers(gymnasium.Wrapper):
    """The environment under it cannot be played without it."""

    def step(self, action):
        Frame(bytearray(BYTES))
        self.unwrapped.is_ready = True
        return self.env.step(action)


class Needs(Maze):
    is_ready = False

    def step(self, action):
        assert self.is_ready
        return super().step(action)


class Passes(gymnasium.Wrapper):
    pass


def origin_of(*layers):
    def build():
        environment = layers[-1]()
        for layer in reversed(layers[:-1]):
            environment = layer(environment)
        return environment

    with tempfile.TemporaryDirectory() as home:
        return origin(build, list(layers), 0, Size(2, 1, 5), home)


@pytest.mark.parametrize(
    ("layers", "function"),
    [
        ((Clips, Maze), "Clips.step"),
        ((Passes, Clips, Passes, Maze), "Clips.step"),
        ((Nests, Maze), "Nests.step"),
    ],
)
def test_layer_whose_code_makes_the_cycle_is_found(layers, function):
    assert origin_of(*layers)["origin"]["function"] == function


@pytest.mark.parametrize(
    "layers",
    [(Asks, MakesFrames), (Gives, Keeps), (Clips, Asks, MakesFrames), (Reads, FilledByFunction)],
    ids=["asked by a wrapper", "given by a wrapper", "two illnesses", "filled by a function"],
)
def test_evidence_that_does_not_agree_names_no_layer(layers):
    assert "origin" not in origin_of(*layers)


def test_layer_that_cannot_be_played_alone_says_nothing():
    assert origin_of(Numbers, Needs) == {}


def test_no_garbage_has_no_origin():
    assert origin_of(Passes, Maze) == {}


def test_kinds_of_cycles_have_names_and_the_bytes_that_they_keep():
    large, small = {"pixels": bytearray(BYTES)}, {}
    large["me"], small["peer"] = large, [small]
    kinds = {kind.names: kind for kind in cycle_kinds([large, small, small["peer"]], lambda _: ())}
    assert set(kinds) == {frozenset({"me"}), frozenset({"peer"})}
    assert kinds[frozenset({"me"})].size >= BYTES > kinds[frozenset({"peer"})].size
    large.clear()
    small.clear()


def test_parts_of_a_graph_lead_to_each_other():
    graph = {1: [2], 2: [3], 3: [1, 4], 4: [5], 5: [4], 6: [6], 7: []}
    assert sorted(map(sorted, components(graph))) == [[1, 2, 3], [4, 5], [6], [7]]


def test_long_chain_needs_no_recursion():
    graph = {node: [node + 1] for node in range(5000)}
    graph[5000] = [0]
    assert len(list(components(graph))) == 1
