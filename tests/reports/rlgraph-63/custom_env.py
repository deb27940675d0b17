"""An environment of the user's own, which a script registers."""

import gymnasium
import numpy as np


class CustomEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.state = self.np_random.uniform(-0.5, 0.5, 2)
        return self.state.astype(np.float32), {}

    def step(self, action):
        self.steps += 1
        self.state = np.clip(self.state + 0.1 * (2 * action - 1), -1.0, 1.0)
        return self.state.astype(np.float32), float(self.state[0]), self.steps == 20, False, {}
