"""The same with subprocess, which daemons may use."""

import subprocess
import sys

import gymnasium
import numpy as np

SIMULATOR = """
state = 0.0
for line in iter(input, "quit"):
    state = 0.0 if line == "reset" else state + 1.0
    print(state, flush=True)
"""


class Game(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.process = None

    def _ask(self, message):
        self.process.stdin.write(message + "\n")
        self.process.stdin.flush()
        return np.array([float(self.process.stdout.readline())], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.process is None:
            command = [sys.executable, "-c", SIMULATOR]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        return self._ask("reset"), {}

    def step(self, action):
        state = self._ask("step")
        return state, 0.0, bool(state[0] == 10.0), False, {}

    def close(self):
        if self.process is not None:
            self.process.communicate("quit\n")
            self.process = None
