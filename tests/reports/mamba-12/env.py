"""A curriculum: each second reset() starts a new game, and the last one runs on."""

import subprocess
import sys

import gymnasium
import numpy as np


class Game:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    def close(self):
        self.process.communicate(b"\n")


GAMES = []


class Curriculum(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    closes = False

    def __init__(self):
        self.game = None
        self.episodes = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.episodes % 2 == 0:
            if self.closes:
                self.close()
            self.game = Game()
            GAMES.append(self.game)
        self.episodes += 1
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.game is not None:
            self.game.close()
            GAMES.remove(self.game)
            self.game = None
            self.episodes = 0


class Cured(Curriculum):
    closes = True
