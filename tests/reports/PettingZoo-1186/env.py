"""A deep copy is made anew from the arguments: it was never reset."""

import copy

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle


class Game(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 2.0, (9,), np.float32)
    action_space = gymnasium.spaces.Discrete(9)

    def __init__(self, first=0):
        self.first = first

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cumulative_reward = 0.0
        self.board = np.zeros(9, np.float32)
        self.board[self.np_random.integers(0, 9)] = self.first + 1
        self.turn = 0
        return self.board.copy(), {}

    def step(self, action):
        self.turn += 1
        if self.board[action] == 0:
            self.board[action] = 1 + (self.first + self.turn) % 2
            self.cumulative_reward += 1.0
        reward = self.cumulative_reward
        return self.board.copy(), reward, bool(self.board.all()), self.turn == 40, {}


class TicTacToe(Game, EzPickle):
    def __init__(self, first=0):
        EzPickle.__init__(self, first)
        Game.__init__(self, first)


class Cured(TicTacToe):
    def __deepcopy__(self, memo):
        other = type(self)(self.first)
        memo[id(self)] = other
        other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return other
