"""Statistics of games with lives are cleared when no life is left, and not where time was up."""

import gymnasium
import numpy as np

LIMIT = 25


class Breakout(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1000.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps, self.lives = 0, 5
        self.ball = float(self.np_random.integers(0, 80))
        return self.look(), {"lives": self.lives}

    def look(self):
        return np.array([self.ball, self.steps], np.float32)

    def step(self, action):
        self.steps += 1
        self.ball = (self.ball + float(action)) % 80
        if self.ball == 79:
            self.lives -= 1
        over = self.lives == 0
        return self.look(), 1.0, over, self.steps == LIMIT, {"lives": self.lives}


class RecordStatistics(gymnasium.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.sum = self.length = 0

    def step(self, action):
        view, reward, terminated, truncated, info = self.env.step(action)
        self.sum += reward
        self.length += 1
        info["r"], info["l"] = self.sum, self.length
        if self.is_over(terminated, truncated, info):
            self.sum = self.length = 0
        return view, reward, terminated, truncated, info

    def is_over(self, terminated, truncated, info):
        return info["lives"] == 0


class Cured(RecordStatistics):
    def reset(self, *, seed=None, options=None):
        self.sum = self.length = 0
        return self.env.reset(seed=seed, options=options)

    def is_over(self, terminated, truncated, info):
        return terminated or truncated


def make():
    return RecordStatistics(Breakout())


def make_cured():
    return Cured(Breakout())
