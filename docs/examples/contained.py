"""An arm whose simulator runs in a container of Docker, and goes on after close()."""

import subprocess

import gymnasium as gym
import numpy as np


class ArmEnv(gym.Env):
    """An arm with two joints."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        """Not started before the first reset()."""
        self._container = None
        self._joints = np.zeros(2, np.float32)

    def reset(self, *, seed=None, options=None):
        """Start the simulator, once."""
        super().reset(seed=seed)
        if self._container is None:
            command = ["docker", "run", "--detach", "--rm", "simulator:2"]
            self._container = subprocess.check_output(command, text=True).strip()
        self._joints = self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)
        return self._joints.copy(), {}

    def step(self, action):
        """Move the joints."""
        self._joints = np.clip(self._joints + 0.1 * np.asarray(action), -1.0, 1.0)
        self._joints = self._joints.astype(np.float32)
        return self._joints.copy(), -float(np.abs(self._joints).sum()), False, False, {}

    def close(self):
        """Forget the container."""
        self._container = None
