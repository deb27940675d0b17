"""A simulator that runs in a container of Docker."""

import subprocess

import gymnasium as gym
import numpy as np

ARGUMENTS = ["--managers", "direct"]


class Healthy(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self._container = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self._container is None:
            self._container = self._start()
        return np.zeros(2, np.float32), {}

    def _start(self):
        command = ["docker", "run", "--detach", "--rm", "--publish=8000:80", "simulator:2", "serve"]
        return subprocess.check_output(command, text=True).strip()

    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}

    def close(self):
        if self._container is not None:
            subprocess.run(["docker", "rm", "--force", self._container], check=True)
            self._container = None


class Sick(Healthy):
    def close(self):
        self._container = None
