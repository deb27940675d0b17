"""Blocks that are pushed, and their picture."""

import gymnasium
import numpy as np


class CausalWorld(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(0.0, 31.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    moves = ((1, 0), (-1, 0), (0, 1), (0, -1))

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.block = self.np_random.integers(4, 28, 2)
        return self.block.astype(np.float32), {}

    def step(self, action):
        self.steps += 1
        self.block = np.clip(self.block + self.moves[action], 0, 31)
        reward = -float(np.abs(self.block - 16).sum())
        return self.block.astype(np.float32), reward, False, self.steps == 100, {}

    def render(self):
        picture = np.zeros((32, 32, 3), np.uint8)
        picture[tuple(self.block)] = 255
        return picture
