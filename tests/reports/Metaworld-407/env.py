"""An arm whose first version counts its steps anew with each reset(), and whose second one does not."""

import gymnasium
import numpy as np


class SawyerXYZ(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-2.0, 2.0, (6,), np.float64)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)
    max_path_length = 50
    is_v2 = True

    def __init__(self):
        self.curr_path_length = 0

    def reset_model(self):
        self.hand = self.np_random.uniform(-0.1, 0.1, 3)
        self.goal = self.np_random.uniform(0.5, 1.0, 3)
        return np.concatenate([self.hand, self.goal])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.is_v2:
            self.curr_path_length = 0
        return self.reset_model(), {}

    def step(self, action):
        self.hand = np.clip(self.hand + 0.01 * action[:3], -2.0, 2.0)
        self.curr_path_length += 1
        reward = 1.0 - float(np.linalg.norm(self.hand - self.goal))
        truncated = self.curr_path_length >= self.max_path_length
        return np.concatenate([self.hand, self.goal]), reward, False, truncated, {}


class Cured(SawyerXYZ):
    is_v2 = False
