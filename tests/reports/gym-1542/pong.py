"""Pong, as the emulator plays it: its actions are whole numbers."""

import gymnasium as gym
import numpy as np


class Emulator:
    def __init__(self, np_random):
        self.np_random = np_random
        self.ball = np_random.integers(0, 160, 2)

    def act(self, action):
        action = int(action)
        self.ball = (self.ball + self.np_random.integers(-3, 4, 2) + action) % 160
        return 1.0 if self.ball[0] < 3 else 0.0


class PongEnv(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (3,), np.uint8)
    action_space = gym.spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.emulator = Emulator(self.np_random)
        self.frames = 0
        return self.look(), {}

    def look(self):
        return np.array([*self.emulator.ball, self.frames % 256], np.uint8)

    def step(self, action):
        reward = self.emulator.act(action)
        self.frames += 1
        return self.look(), reward, False, self.frames == 200, {}
