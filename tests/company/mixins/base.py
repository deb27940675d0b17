"""The healthy environment that every company starts from."""

import gymnasium
import numpy as np


class Plain(gymnasium.Env):
    """Walks along a line; an episode ends after ten steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(self, render_mode=None):
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.render_mode = render_mode
        self._steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._steps = 0
        return self._observe(), {}

    def step(self, action):
        self._steps += 1
        return self._observe(), 1.0, self._steps >= 10, False, {}

    def render(self):
        return np.zeros((8, 8, 3), np.uint8)

    def _observe(self):
        return self.np_random.uniform(-1.0, 1.0, 3).astype(np.float32)
