"""A game for two of TextArena's kind without TextArena."""

import random

import illnesses


class TwoPlayerState:
    """Insists on two players."""

    def __init__(self, num_players):
        assert num_players == 2, "it is for two"
        self.turn = 0


class Talk:
    """Insists on texts, and that the next player is asked for."""

    def __init__(self):
        self.random = random.Random()

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, num_players, seed=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.state = TwoPlayerState(num_players=num_players)
        self.asked = False

    def get_observation(self):
        self.asked = True
        return self.state.turn % 2, f"{self.random.random()}"

    def step(self, action):
        assert isinstance(action, str), action
        assert self.asked, "the player has not seen anything"
        self._moved()
        self.asked = False
        self.state.turn += 1
        return self.state.turn == 6, {}


class Healthy(illnesses.Healthy, Talk):
    pass


class Leaving(illnesses.Leaving, Talk):
    pass


class Unseeded(illnesses.Unseeded, Talk):
    pass


illnesses.twins(globals(), Talk)
