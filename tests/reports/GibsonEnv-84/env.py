"""__del__ calls close(), which signals a renderer that has ended already."""

import os
import signal
import subprocess
import sys

import gymnasium
import numpy as np


class Drone(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.renderer = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}

    def close(self):
        os.kill(self.renderer.pid, signal.SIGTERM)
        self.renderer.wait()
        self.renderer.stdin.close()

    def __del__(self):
        self.close()


class Cured(Drone):
    def close(self):
        if self.renderer.poll() is None:
            super().close()
