"""A sandbox whose first process waits for nobody: jobs in the background end as its zombies."""

import subprocess
import sys

import gymnasium
import numpy as np

INIT = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans become its children, as those of PID 1 do
end, held = os.pipe()
if os.fork() == 0:
    for line in sys.stdin:
        subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        print("done", flush=True)
    os._exit(0)
for number in (0, 1, held):
    os.close(number)
while "--init" in sys.argv:
    try:
        os.wait()
    except ChildProcessError:
        break
os.read(end, 1)  # as tail -f /dev/null does, until the sandbox is stopped
"""


class Sandbox(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    commands = ("true", "node() { sleep 0.01; }; node &", "(sleep 0.01; true) &")
    arguments = ()

    def __init__(self):
        self.container = None

    def execute(self, command):
        self.container.stdin.write(command + "\n")
        self.container.stdin.flush()
        self.container.stdout.readline()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        if self.container is None:
            self.container = subprocess.Popen(
                [sys.executable, "-S", "-c", INIT, *self.arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        self.execute("true")
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        self.execute(self.commands[action])
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.container is not None:
            self.container.stdin.close()
            self.container.wait()
            self.container.stdout.close()
            self.container = None


class Cured(Sandbox):
    arguments = ("--init",)
