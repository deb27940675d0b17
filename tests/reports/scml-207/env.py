"""A factory negotiates with its suppliers. A manager encodes what the agent sees."""

from collections import deque

import gymnasium
import numpy as np

PARTNERS = 3


class World:
    def __init__(self, rng):
        self.rng = rng
        self.needed = int(rng.integers(5, 10))
        self.offers = np.zeros(PARTNERS, np.int64)
        self.day = 0

    def negotiate(self, answer):
        if answer < PARTNERS:
            self.needed = max(0, self.needed - int(self.offers[answer]))
        self.offers = self.rng.integers(0, 5, PARTNERS)
        self.day += 1


class ObservationManager:
    """Offers of now and of before, and what is needed."""

    def __init__(self):
        self.previous = deque([0] * PARTNERS, maxlen=PARTNERS)

    def encode(self, world):
        current = [int(offer) for offer in world.offers]
        view = np.array([*current, *self.previous, world.needed], np.int64)
        self.previous.extend(current)
        return view

    def make_first_observation(self, world):
        """Encode the world of a new episode, in which there is no offer of before."""
        self.previous.extend([0] * PARTNERS)
        return self.encode(world)


class OneShot(gymnasium.Env):
    observation_space = gymnasium.spaces.MultiDiscrete([5] * PARTNERS * 2 + [10])
    action_space = gymnasium.spaces.Discrete(PARTNERS + 1)

    def __init__(self):
        self.manager = ObservationManager()

    def get_obs(self):
        return self.manager.encode(self.world)

    def first_obs(self):
        return self.get_obs()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.world = World(self.np_random)
        return self.first_obs(), {}

    def step(self, action):
        self.world.negotiate(int(action))
        over = self.world.day == 20
        return self.get_obs(), -float(self.world.needed), over, False, {}


class Cured(OneShot):
    def first_obs(self):
        return self.manager.make_first_observation(self.world)
