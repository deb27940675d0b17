"""An object with reset(), step() and close(), of no library, and without spaces."""

import random

import illnesses


class Coin:
    """Takes any action."""

    def __init__(self):
        self.random = random.Random()

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, seed=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.steps = 0
        return self.random.random()

    def step(self, action):
        self._moved()
        self.steps += 1
        return self.random.random(), 1.0, self.steps == 11, {}


class Healthy(illnesses.Healthy, Coin):
    pass


class Leaving(illnesses.Leaving, Coin):
    pass


illnesses.twins(globals(), Coin)
