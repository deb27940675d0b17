"""Satellites are given to the environment as arguments; reset() puts the engine's objects into them."""

import threading

import gymnasium
import numpy as np


class Engine:
    """A simulation: what it holds cannot be copied."""

    def __init__(self, generator):
        self.lock = threading.Lock()
        self.height = 500.0 + generator.random()

    def advance(self, thrust):
        with self.lock:
            self.height += thrust - 0.5
            return self.height


class Satellite:
    def __init__(self, name):
        self.name = name
        self.engine = None


SATELLITES = [Satellite("echo")]


class Orbit(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, satellites):
        self.satellites = satellites

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        for satellite in self.satellites:
            satellite.engine = Engine(self.np_random)
        self.steps = 0
        return self._seen(), {}

    def step(self, action):
        for satellite in self.satellites:
            satellite.engine.advance(float(action))
        self.steps += 1
        return self._seen(), 0.0, self.steps == 20, False, {}

    def _seen(self):
        return np.array(
            [satellite.engine.height for satellite in self.satellites], dtype=np.float32
        )


def make():
    return Orbit(SATELLITES)
