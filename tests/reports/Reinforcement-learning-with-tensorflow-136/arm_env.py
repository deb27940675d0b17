"""A robot arm of two segments that is to reach a point."""

import numpy as np


class ArmEnv:
    action_dim = 2
    state_dim = 4

    def __init__(self):
        self.point = np.array([250.0, 303.0])

    def reset(self):
        self.angles = np.random.rand(2) * np.pi * 2
        return self._get_state()

    def _get_state(self):
        elbow = np.array([np.cos(self.angles[0]), np.sin(self.angles[0])]) * 100.0 + 200.0
        turned = self.angles.sum()
        hand = elbow + np.array([np.cos(turned), np.sin(turned)]) * 100.0
        return np.concatenate([(elbow - self.point) / 200.0, (hand - self.point) / 200.0])

    def step(self, action):
        self.angles = (self.angles + np.clip(action, -1.0, 1.0) * 0.1) % (np.pi * 2)
        state = self._get_state()
        distance = float(np.linalg.norm(state[2:]))
        return state, -distance, distance < 0.02
