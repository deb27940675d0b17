"""A guessing game of gem's kind without gem: texts go in and out."""

import random

import illnesses


class Guess:
    """Insists on texts."""

    def __init__(self):
        self.random = random.Random()

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def sample_random_action(self):
        return f"[{self.random.randrange(10)}]"

    def reset(self, seed=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.secret, self.turns = self.random.randrange(10), 0
        return f"guess; it is not {(self.secret + 1) % 10}", {}

    def step(self, action):
        assert isinstance(action, str), action
        self._moved()
        self.turns += 1
        found = action == f"[{self.secret}]"
        return ("yes" if found else "no"), float(found), found, self.turns == 12, {}


class Healthy(illnesses.Healthy, Guess):
    pass


class Leaving(illnesses.Leaving, Guess):
    pass


class Unseeded(illnesses.Unseeded, Guess):
    pass


illnesses.twins(globals(), Guess)
