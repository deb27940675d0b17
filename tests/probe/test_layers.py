"""The layers of a wrapped environment, each played without what is around it."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from envdoctor.probe.comparison.layers import describe_layers, holds


class Maze(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 9, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.random(2)
        return self.look(), {}

    def step(self, action):
        self.place += 0.01 + action
        return self.look(), 0.0, False, False, {}

    def look(self):
        return self.place.copy()


class Unseeded(Maze):
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.random.random(2)  # noqa: NPY002
        return self.look(), {}


class OwnBuffer(Maze):
    def __init__(self):
        self.buffer = np.zeros(2)

    def look(self):
        self.buffer[:] = self.place
        return self.buffer


class BufferOnRequest(OwnBuffer):
    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed)
        return observation.copy(), info

    def step(self, action):
        return (super().step(action)[0].copy(), 0.0, False, False, {})


class Passes(gymnasium.Wrapper):
    pass


class Forgets(gymnasium.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(options=options)


class GoesOn(gymnasium.Wrapper):
    is_begun = False

    def reset(self, *, seed=None, options=None):
        if self.is_begun:
            return self.env.step(0)[0], {}
        self.is_begun = True
        return self.env.reset(seed=seed, options=options)


class Waits(gymnasium.Wrapper):
    """Steps that it makes by itself, and a seed that it hands on."""

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        for _ in range(5):
            observation = self.env.step(0)[0]
        return observation, info


class Stacks(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.frames = np.zeros(4)

    def reset(self, **options):
        observation, info = self.env.reset(**options)
        return self.push(observation), info

    def step(self, action):
        observation, *rest = self.env.step(action)
        return (self.push(observation), *rest)

    def push(self, observation):
        self.frames[:2] = self.frames[2:]
        self.frames[2:] = observation
        return self.frames[:]


class Remembers(gymnasium.Wrapper):
    def step(self, action):
        self.last = self.env.step(action)
        return self.last


class Holder(gymnasium.Env):
    """Not a wrapper, and it does what one does."""

    observation_space, action_space = Maze.observation_space, Maze.action_space

    def __init__(self, held):
        self.held = held

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.held.reset()

    def step(self, action):
        return self.held.step(action)


class HoldsAndSeeds(Holder):
    def reset(self, *, seed=None, options=None):
        return self.held.reset(seed=seed)


class Old:
    """The API of gym before 0.26."""

    observation_space, action_space = Maze.observation_space, Maze.action_space

    def seed(self, seed=None):
        self.generator = np.random.RandomState(seed)

    def reset(self):
        self.place = self.generator.random_sample(2)
        return self.place.copy()

    def step(self, action):
        return self.place.copy(), 0.0, False, {}


class OldHolder(Old):
    def __init__(self, held):
        self.held = held
        held.seed()

    def reset(self):
        return self.held.reset()

    def step(self, action):
        return self.held.step(action)


class Looks(gymnasium.Wrapper):
    def reset(self, **options):
        _, info = self.env.reset(**options)
        return self.unwrapped.look(), info

    def step(self, action):
        _, *rest = self.env.step(action)
        self.seen = self.unwrapped.look()
        return (self.seen, *rest)


def layers(*kinds):
    def build():
        environment = kinds[-1]()
        for kind in reversed(kinds[:-1]):
            environment = kind(environment)
        return environment

    return {layer["class"].rpartition(".")[2]: layer for layer in describe_layers(build, 7, 3)}


@pytest.mark.parametrize(
    ("kinds", "differing", "seeded"),
    [
        ((Passes, Maze), [], ["Passes", "Maze"]),
        ((Passes, Unseeded), ["Passes", "Unseeded"], ["Passes", "Unseeded"]),
        ((Passes, Forgets, Maze), ["Passes", "Forgets"], ["Passes", "Forgets"]),
        ((GoesOn, Maze), ["GoesOn"], ["GoesOn"]),
        ((Waits, Maze), [], ["Waits", "Maze"]),
        ((GoesOn, Unseeded), ["GoesOn", "Unseeded"], ["GoesOn"]),
        ((Holder, Maze), ["Holder"], ["Holder"]),
        ((HoldsAndSeeds, Maze), [], ["HoldsAndSeeds", "Maze"]),
        ((Passes, Holder, Maze), ["Passes", "Holder"], ["Passes", "Holder"]),
        ((OldHolder, Old), ["OldHolder"], ["OldHolder"]),
    ],
)
def test_layers_with_which_one_seed_gives_two_beginnings(kinds, differing, seeded):
    found = layers(*kinds)
    assert [name for name, layer in found.items() if layer["differs"]] == differing
    assert [name for name, layer in found.items() if layer["seeded"]] == seeded


@pytest.mark.parametrize(
    ("kinds", "changed"),
    [
        ((Passes, Maze), {}),
        ((Stacks, Maze), {"Stacks": True}),
        ((Passes, Stacks, Maze), {"Passes": False, "Stacks": True}),
        ((Remembers, OwnBuffer), {"Remembers": False, "OwnBuffer": True}),
        ((Looks, BufferOnRequest), {"Looks": False}),
    ],
)
def test_layers_with_which_what_was_returned_is_changed(kinds, changed):
    found = layers(*kinds)
    assert {
        name: layer["changed"]["observation"] for name, layer in found.items() if layer["changed"]
    } == changed


def test_methods_of_classes_are_as_before():
    before = Forgets.reset, vars(Passes).get("reset")
    layers(Passes, Forgets, Maze)
    assert (Forgets.reset, vars(Passes).get("reset")) == before


def test_environment_without_wrappers_has_no_layers():
    assert layers(Maze) == {}


def test_layer_that_fails_alone_says_so():
    class Needs(Maze):
        def reset(self, *, seed=None, options=None):
            assert options
            return super().reset(seed=seed)

    class Gives(gymnasium.Wrapper):
        def reset(self, *, seed=None, options=None):
            return self.env.reset(seed=seed, options={"level": 1})

    found = layers(Gives, Needs)
    assert found["Needs"]["failed"] == "AssertionError"
    assert "failed" not in found["Gives"]


def test_equal_constants_are_not_held():
    layer = Passes(Maze())
    layer.level = 0
    assert not holds(layer, {"level": 0})
