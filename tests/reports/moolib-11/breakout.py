"""A game with an error that an episode meets some time."""

import gymnasium
import numpy as np


class Breakout(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10, 10, (4,), np.float64)
    action_space = gymnasium.spaces.Discrete(3)

    def observe(self):
        return np.array([self.ball[0], self.ball[1], self.paddle, len(self.bricks)], np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.ball, self.paddle = self.np_random.uniform(0, 1, 2), 0.5
        self.bricks = list(range(6))
        self.steps = 0
        return self.observe(), {}

    def hit(self):
        return self.bricks.pop(int(self.ball[0] * 6) % 6)

    def step(self, action):
        self.steps += 1
        self.paddle += 0.1 * (action - 1)
        self.ball = self.np_random.uniform(0, 1, 2)
        reward = 0.0
        if self.ball[1] > 0.9:
            self.hit()
            reward = 1.0
        return self.observe(), reward, not self.bricks, self.steps == 40, {}


class Cured(Breakout):
    """The same without the error."""

    def hit(self):
        return self.bricks.pop(int(self.ball[0] * 6) % len(self.bricks))
