"""Cars in a simulator, which is a server in a process group of its own."""

import os
import signal
import subprocess
import sys

import gymnasium
import numpy as np

SERVER = """
import sys, time
for line in sys.stdin:
    print(float(line) + 0.5, flush=True)
time.sleep(60)  # a server waits for the next client
"""


class MultiCarla(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.server = None

    def init_server(self):
        pipe = subprocess.PIPE
        self.server = subprocess.Popen(
            [sys.executable, "-S", "-c", SERVER],
            stdin=pipe,
            stdout=pipe,
            text=True,
            start_new_session=True,
        )

    def ask(self, value):
        self.server.stdin.write(f"{value}\n")
        self.server.stdin.flush()
        return np.array([float(self.server.stdout.readline())], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            self.init_server()
        self.steps = 0
        return self.ask(0), {}

    def step(self, action):
        self.steps += 1
        return self.ask(int(action)), 0.0, False, self.steps == 50, {}

    def close(self):
        if self.server is not None:
            os.killpg(self.server.pid, signal.SIGKILL)
            self.server.wait()
            self.server.stdin.close()
            self.server.stdout.close()
            self.server = None
