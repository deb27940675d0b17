"""A driving simulator as a server of its own, which keeps the actors of each episode."""

import subprocess
import sys

import gymnasium
import numpy as np

SERVER = """
import sys
actors = []
for line in sys.stdin:
    if line == "reset\\n":
        if sys.argv[1] == "fixed":
            actors.clear()
        actors += [bytearray(b"x") * 32768 for _ in range(4)]
    print(len(actors), flush=True)
"""


class Drive(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    version = "0.9.6"

    def __init__(self):
        self.server = None

    def _ask(self, message):
        self.server.stdin.write(message + "\n")
        self.server.stdin.flush()
        self.server.stdout.readline()
        return np.zeros(2, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            command = [sys.executable, "-S", "-c", SERVER, self.version]
            self.server = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        self.steps = 0
        return self._ask("reset"), {}

    def step(self, action):
        self.steps += 1
        return self._ask("step"), 0.0, self.steps == 20, False, {}

    def close(self):
        if self.server is not None:
            self.server.communicate()
            self.server = None


class Cured(Drive):
    """The same with a server that destroys them."""

    version = "fixed"
