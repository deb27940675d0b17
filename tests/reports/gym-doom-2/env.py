"""A game in a process of its own, which ends where close() is called and at no other time."""

import subprocess
import sys

import gymnasium
import numpy as np

GAME = """
import os, select, sys, time
while True:
    readable, _, _ = select.select([sys.stdin], [], [], 0.2)
    if readable:
        line = sys.stdin.readline()
        if line == "quit\\n":
            break
        if line:
            print(line, end="", flush=True)
        else:
            time.sleep(0.2)
"""


class Doom(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.game = None

    def _ask(self):
        self.game.stdin.write(f"{self.frame}\n")
        self.game.stdin.flush()
        return np.array([self.game.stdout.readline()], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.game is None:
            pipe = subprocess.PIPE
            command = [sys.executable, "-c", GAME]
            self.game = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.frame = 0
        return self._ask(), {}

    def step(self, action):
        self.frame += 1
        return self._ask(), 0.0, False, self.frame == 20, {}

    def close(self):
        if self.game is not None:
            self.game.communicate("quit\n")
            self.game = None
