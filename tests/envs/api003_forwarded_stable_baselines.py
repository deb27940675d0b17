"""What Stable-Baselines3's checker refuses, and Gymnasium does not ask: compute_reward() of an
environment with goals takes no batch.
"""

import gymnasium
import numpy as np
from gymnasium import spaces

INTERPRETER = "ENVDOCTOR_SB3_PYTHON"
ARGUMENTS = ("--managers", "sb3-dummy")

POINT = spaces.Box(-2.0, 2.0, (2,), np.float32)


class Healthy(gymnasium.Env):
    """A point that is to reach another one."""

    def __init__(self):
        self.observation_space = spaces.Dict(
            observation=POINT, achieved_goal=POINT, desired_goal=POINT
        )
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.point = self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)
        self.goal = self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)
        return self.observed(), {}

    def step(self, action):
        self.point = np.clip(self.point + 0.1 * action, -2.0, 2.0).astype(np.float32)
        return (
            self.observed(),
            self.compute_reward(self.point, self.goal, {}),
            np.bool_(False),
            False,
            {},
        )

    def observed(self):
        return {
            "observation": self.point.copy(),
            "achieved_goal": self.point.copy(),
            "desired_goal": self.goal.copy(),
        }

    def compute_reward(self, achieved_goal, desired_goal, info):
        return -np.linalg.norm(achieved_goal - desired_goal, axis=-1)


class Sick(Healthy):
    def compute_reward(self, achieved_goal, desired_goal, info):
        return -np.linalg.norm(achieved_goal - desired_goal)
