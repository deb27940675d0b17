"""A pole on a cart, which is shown in a window."""

import gymnasium
import numpy as np
import rendering


class CartPoleEnv(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 50}
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, render_mode="human"):
        self.render_mode = render_mode
        self.viewer = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-0.05, 0.05, 4)
        return self.state.astype(np.float32), {}

    def step(self, action):
        x, speed, angle, turn = self.state
        force = 0.2 if action == 1 else -0.2
        self.state = np.array(
            [x + 0.02 * speed, speed + force, angle + 0.02 * turn, turn + 0.3 * angle - force]
        )
        fallen = bool(abs(self.state[2]) > 0.2 or abs(self.state[0]) > 2.4)
        return self.state.clip(-10, 10).astype(np.float32), 1.0, fallen, False, {}

    def render(self):
        if self.viewer is None:
            self.viewer = rendering.Viewer(600, 400)
        self.viewer.render(self.state[0], self.state[2])

    def close(self):
        if self.viewer is not None:
            self.viewer.close()
            self.viewer = None
