"""Plasticine in a differentiable simulator, which keeps all frames of an episode for its gradients."""

import gymnasium
import numpy as np

SUBSTEPS, FRAMES = 5, 600


class Simulator:
    """Where frames are copied, the last one becomes the first: no gradients. Else the frames go on."""

    def __init__(self):
        self.x = np.zeros((FRAMES, 4))
        self.cur = 0

    def begin(self, x):
        self.cur = 0
        self.x[0] = x

    def step(self, is_copy, action):
        begin = 0 if is_copy else self.cur
        for frame in range(begin, begin + SUBSTEPS):
            self.x[frame + 1] = np.clip(self.x[frame] + 0.02 * action, -1.0, 1.0)
        self.cur = begin + SUBSTEPS
        if is_copy:
            self.x[0] = self.x[self.cur]
            self.cur = 0

    def get_x(self, frame):
        return self.x[frame].astype(np.float32)


class Plasticine(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)

    def __init__(self, is_copy=True):
        self.simulator = Simulator()
        self.is_copy = is_copy
        self.target = np.full(4, 0.5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.simulator.begin(self.np_random.uniform(-0.5, 0.5, 4))
        self.steps = 0
        return self.get_obs(), {}

    def get_obs(self, t=0):
        return self.simulator.get_x(t)

    def compute_loss(self):
        return float(np.abs(self.simulator.get_x(self.simulator.cur) - self.target).sum())

    def step(self, action):
        self.simulator.step(self.is_copy, action)
        self.steps += 1
        return self.get_obs(), -self.compute_loss(), False, self.steps == 100, {}


class Cured(Plasticine):
    def get_obs(self):
        return self.simulator.get_x(self.simulator.cur)


def make():
    return Plasticine(is_copy=False)


def cured():
    return Cured(is_copy=False)
