"""An environment owns the service in which its episodes run; the service ends with close()."""

import subprocess
import sys

import gymnasium
import numpy as np

SERVICE = """
import select, sys, time
end = time.monotonic() + 120
while time.monotonic() < end:
    readable, _, _ = select.select([sys.stdin], [], [], 0.2)
    if readable:
        line = sys.stdin.readline()
        if line == "quit\\n":
            break
        if line:
            print(len(line), flush=True)
        else:
            time.sleep(0.2)
"""


class EpisodeService:
    def __init__(self):
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", SERVICE]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def ask(self, words):
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return np.array([int(self.process.stdout.readline())], np.float32)

    def close(self):
        self.process.communicate("quit\n")


class EpisodeEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.service = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.service is None:
            self.service = EpisodeService()
        self.turn = 0
        return self.service.ask("start"), {}

    def step(self, action):
        self.turn += 1
        return self.service.ask("run " + "x" * int(action)), 0.0, self.turn == 6, False, {}

    def close(self):
        if self.service is not None:
            self.service.close()
            self.service = None
