"""A simulator that runs in a container of Docker, anew after each reset()."""

import subprocess

import gymnasium as gym
import numpy as np

COMMAND = "leak"
ARGUMENTS = ["--managers", "direct", "--time-budget", "90"]


class Healthy(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self._container = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._stop()
        self._start()
        return np.zeros(2, np.float32), {}

    def _start(self):
        started = subprocess.run(
            "docker run -d --rm simulator:2 serve", shell=True, check=True, capture_output=True
        )
        self._container = started.stdout.decode().strip()

    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}

    def _stop(self):
        if self._container is not None:
            subprocess.run(["docker", "rm", "--force", self._container], check=True)
            self._container = None

    def close(self):
        self._stop()


class Sick(Healthy):
    def _stop(self):
        self._container = None
