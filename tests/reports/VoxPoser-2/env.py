"""A wrapper of its own kind: it hands on reset() and step(), and has no close()."""

import subprocess
import sys

import gymnasium
import numpy as np

SIMULATOR = """
import sys
for line in sys.stdin:
    print(len(line), flush=True)
"""


class Launched(gymnasium.Env):
    """An environment that starts its simulator, and ends it in close()."""

    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        pipe = subprocess.PIPE
        command = [sys.executable, "-S", "-c", SIMULATOR]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, order):
        self.process.stdin.write(f"{order}\n")
        self.process.stdin.flush()
        return np.array([self.process.stdout.readline()], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.ask("reset"), {}

    def step(self, action):
        self.steps += 1
        return self.ask("x" * int(action)), 0.0, False, self.steps == 15, {}

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None


class VoxPoser:
    def __init__(self):
        self.rlbench_env = Launched()
        self.observation_space = self.rlbench_env.observation_space
        self.action_space = self.rlbench_env.action_space

    def reset(self, *, seed=None, options=None):
        return self.rlbench_env.reset(seed=seed, options=options)

    def step(self, action):
        return self.rlbench_env.step(action)


class Cured(VoxPoser):
    def close(self):
        self.rlbench_env.close()
