"""A simulated arm, and a cube that it can push."""

import numpy as np


class Sim:
    def __init__(self):
        self.reset()

    def reset(self):
        self.qpos, self.qvel, self.ctrl = np.zeros(3), np.zeros(3), np.zeros(3)
        self.cube = np.array([0.3, 0.3])

    def step(self, count):
        for _ in range(count):
            self.qvel = 0.8 * self.qvel + 0.2 * (self.ctrl - self.qpos)
            self.qpos = self.qpos + 0.1 * self.qvel
            if np.abs(self.qpos[:2] - self.cube).max() < 0.15:
                self.cube = self.cube + 0.1 * self.qvel[:2]


class FR3:
    """The arm of a simulation."""

    HOME = np.array([0.1, 0.0, -0.1])

    def __init__(self, sim):
        self.sim = sim

    def set_joint_position(self, position):
        self.sim.ctrl = np.asarray(position, float)

    def reset(self):
        self.sim.qpos = self.HOME.copy()
