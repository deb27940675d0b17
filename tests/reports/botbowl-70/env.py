"""The API of gym before 0.26: seed() seeds a generator of which the game knows nothing."""

import gym
import numpy as np


class Game:
    def __init__(self, seed):
        self.dice = np.random.RandomState(seed)
        self.board = self.dice.uniform(0.0, 1.0, 4).astype(np.float32)


class BotBowl(gym.Env):
    observation_space = gym.spaces.Box(0.0, 1.0, (4,), np.float32)
    action_space = gym.spaces.Discrete(5)

    def __init__(self):
        self.rnd = np.random.RandomState()

    def seed(self, seed=None):
        self.rnd = np.random.RandomState(seed)
        return [seed]

    def _game_seed(self):
        return np.random.randint(0, 2**31)

    def reset(self):
        self.game = Game(self._game_seed())
        self.left = 25
        return self.game.board.copy()

    def step(self, action):
        self.game.board[int(action) % 4] = self.game.dice.uniform(0.0, 1.0)
        self.left -= 1
        return self.game.board.copy(), 0.0, self.left == 0, {}


class Cured(BotBowl):
    def _game_seed(self):
        return self.rnd.randint(0, 2**31)
