"""close() kills a server that does not end by itself, and never reaps it."""

import subprocess
import sys

import gymnasium
import numpy as np

SERVER = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    print(line, end="", flush=True)
signal.pause()
"""


class Rollouts(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.server = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            pipe = subprocess.PIPE
            command = [sys.executable, "-c", SERVER]
            self.server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.turn = 0
        return self._ask(), {}

    def _ask(self):
        self.server.stdin.write(f"{self.turn}\n")
        self.server.stdin.flush()
        return np.array([self.server.stdout.readline()], np.float32)

    def step(self, action):
        self.turn += 1
        return self._ask(), 0.0, False, self.turn == 10, {}

    def close(self):
        if self.server is not None:
            self.server.terminate()
            try:
                self.server.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                self.server.kill()
            self.server.stdin.close()
            self.server.stdout.close()
            self.server = None
