"""A script of a course: its environment shows a window, and is closed where the script ends."""

import gymnasium
import numpy as np
from rendering import Viewer


class GridEnv(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 30}
    observation_space = gymnasium.spaces.Discrete(8)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, render_mode="human"):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = int(self.np_random.integers(8))
        return self.state, {}

    def step(self, action):
        self.state = (self.state + (1, 4, 7, 4)[int(action)]) % 8
        return self.state, float(self.state == 3), self.state == 3, False, {}

    def render(self):
        if self.viewer is None:
            self.viewer = Viewer()
        self.viewer.draw(self.state)

    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None


env = GridEnv()
actions = np.random.default_rng(1)
for episode in range(5):
    env.reset(seed=episode)
    over = False
    while not over:
        env.render()
        _, _, over, _, _ = env.step(actions.integers(4))
env.close()
