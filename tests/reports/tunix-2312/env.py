"""close() ends a shell and then gives its sandbox back; a shell that has ended before raises."""

import subprocess
import sys

import gymnasium
import numpy as np

SHELL = """
import sys
for line in sys.stdin:
    if line == "exit\\n":
        break
    print(len(line), flush=True)
"""
SANDBOX = "import time; time.sleep(120)"


class Sandbox:
    """It runs until it is given back, even where the shell in it has ended."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", SANDBOX])

    def release(self):
        self.process.kill()
        self.process.wait()


class Shell:
    def __init__(self):
        pipe = subprocess.PIPE
        command = [sys.executable, "-c", SHELL]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def run(self, command):
        if self.process.poll() is not None:
            return 0
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        if command == "exit":
            self.process.wait()
            return 0
        return int(self.process.stdout.readline())

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def close(self):
        self.process.stdin.write("exit\n")
        self.process.stdin.flush()
        self.process.communicate()


class SWE(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    commands = ("ls", "cat setup.py", "pytest -q", "exit")

    def __init__(self):
        self.shell = self.sandbox = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.sandbox is None:
            self.sandbox = Sandbox()
        if self.shell is not None:
            self.shell.kill()
        self.shell = Shell()
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.turn += 1
        size = self.shell.run(self.commands[int(action)])
        return np.array([size], np.float32), 0.0, False, self.turn == 12, {}

    def close(self):
        if self.sandbox is not None:
            self.shell.close()
            self.sandbox.release()
            self.shell = self.sandbox = None


class Cured(SWE):
    def close(self):
        if self.sandbox is not None:
            self.shell.kill()
            self.sandbox.release()
            self.shell = self.sandbox = None
