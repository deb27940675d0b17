"""A generator that cannot be copied, and a wrapper whose copy asks itself for what it does not have yet."""

import gymnasium
import numpy as np


def generator_of(name):
    return RandomNumberGenerator(getattr(np.random, name)())


class RandomNumberGenerator(np.random.Generator):
    """That of an older version of the library, made for an older NumPy."""

    def __reduce__(self):
        state = self.bit_generator.state
        return generator_of, (state["bit_generator"], state["state"]), state


class CuredGenerator(RandomNumberGenerator):
    def __reduce__(self):
        return CuredGenerator, (self.bit_generator,)


class Haiku(gymnasium.Env):
    """How many syllables each line of a poem has."""

    observation_space = gymnasium.spaces.Box(0.0, 20.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    generator_class = RandomNumberGenerator

    def reset(self, *, seed=None, options=None):
        if seed is not None or self._np_random is None:
            self._np_random = self.generator_class(np.random.PCG64(seed))
        self.lines = self._np_random.integers(3, 10, 3).astype(np.float32)
        self.left = 10
        return self.lines.copy(), {}

    def step(self, action):
        self.lines[action] = (self.lines[action] + 1) % 20
        self.left -= 1
        right = bool((self.lines == (5, 7, 5)).all())
        return self.lines.copy(), float(right), right, self.left == 0, {}


class CuredHaiku(Haiku):
    generator_class = CuredGenerator


class EnvCompatibility(gymnasium.Env):
    """The environment behind it, with whatever else it has."""

    def __init__(self, env):
        self.env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space

    def __getattr__(self, name):
        return getattr(self.env, name)

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)


class CuredCompatibility(EnvCompatibility):
    def __getstate__(self):
        return vars(self)

    def __setstate__(self, state):
        vars(self).update(state)


def make():
    return EnvCompatibility(Haiku())


def cured():
    return CuredCompatibility(CuredHaiku())
