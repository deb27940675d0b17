"""A simulator that ends the process where a second one is made: it has one graphics context."""

import os
import sys

import gymnasium
import numpy as np


class Simulator:
    contexts = 0

    def __init__(self):
        if Simulator.contexts:
            print("Simulator::gpuDevice: no OpenGL context", file=sys.stderr, flush=True)
            os.abort()
        Simulator.contexts += 1

    def close(self):
        Simulator.contexts -= 1


class ManySimulator(Simulator):
    def __init__(self):
        Simulator.contexts += 1


class Navigation(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    simulator_class = Simulator

    def __init__(self):
        self.simulator = self.simulator_class()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.simulator is not None:
            self.simulator.close()
            self.simulator = None


class Cured(Navigation):
    simulator_class = ManySimulator
