"""A command's output is read when it has ended; a long one fills the pipe before."""

import subprocess

import gymnasium
import numpy as np


class Shell(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1e9, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turns = 0
        return np.array([0.0], np.float32), {}

    def _run(self, command):
        process = subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE)
        process.wait()
        return process.communicate()[0]

    def step(self, action):
        self.turns += 1
        lines = 30_000 if self.turns == 6 else 10  # the sixth command submits a long diff
        output = self._run(f"seq {lines}")
        return np.array([len(output)], np.float32), 0.0, self.turns == 6, False, {}


class Cured(Shell):
    def _run(self, command):
        return subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=True).stdout
