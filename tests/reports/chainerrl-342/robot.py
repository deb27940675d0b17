"""An arm whose simulator is a program of its own."""

import subprocess
import sys

import gymnasium
import numpy as np

SIMULATOR = """
import sys, time
angle = 0.0
while True:
    line = sys.stdin.readline()
    if not line:
        time.sleep(3600)
    angle = 0.0 if line == "reset\\n" else angle + float(line)
    print(angle, flush=True)
"""


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(-0.1, 0.1, (1,), np.float32)

    def __init__(self):
        self.simulator = subprocess.Popen(
            [sys.executable, "-c", SIMULATOR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, order):
        self.simulator.stdin.write(f"{order}\n")
        self.simulator.stdin.flush()
        return np.array([float(self.simulator.stdout.readline())], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.ask("reset"), {}

    def step(self, action):
        self.steps += 1
        angle = self.ask(float(action[0]))
        return angle, -float(abs(angle[0] - 1.0)), self.steps == 20, False, {}

    def close(self):
        self.simulator.kill()
        self.simulator.communicate()
