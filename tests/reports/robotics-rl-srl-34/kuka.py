"""A robot arm in a physics engine."""

import bullet
import gymnasium
import numpy as np


class KukaButtonGymEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self, renders=False, record_data=False):
        self.record_data = record_data
        self.client = bullet.connect(bullet.GUI if renders else bullet.DIRECT)
        self.records = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.robot = bullet.load(self.client, "kuka.sdf")
        self.arm = self.np_random.uniform(-0.5, 0.5, 3)
        self.steps = 0
        return self.arm.astype(np.float32), {}

    def step(self, action):
        bullet.step_simulation(self.client)
        self.arm = (self.arm + 0.1 * np.asarray(action)).clip(-10, 10)
        self.steps += 1
        if self.record_data:
            self.records.append(self.arm.copy())
        return self.arm.astype(np.float32), 0.0, False, self.steps == 50, {}

    def close(self):
        bullet.disconnect(self.client)
