"""reset() tries until a place is free; the cars of earlier episodes stay where they are."""

import time

import gymnasium
import numpy as np


class World:
    """Its actors belong to the server: they stay until destroy() is called."""

    def __init__(self, places=6):
        self.places = dict.fromkeys(range(places))

    def try_spawn(self, place):
        if self.places[place] is not None:
            return None
        self.places[place] = "car"
        return place

    def destroy(self, place):
        self.places[place] = None


class Carla(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    destroys = False

    def __init__(self):
        self.world = World()
        self.car = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.destroys and self.car is not None:
            self.world.destroy(self.car)
        self.car = None
        while self.car is None:
            self.car = self.world.try_spawn(int(self.np_random.integers(len(self.world.places))))
            time.sleep(0.001)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}


class Cured(Carla):
    destroys = True
