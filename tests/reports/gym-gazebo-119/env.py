"""A simulator in a process of its own, which aborts in the fourth episode of an instance."""

import os
import subprocess
import sys
import tempfile
import time

import gymnasium
import numpy as np

SIMULATOR = """
import os, sys
episodes = 0
for line in iter(sys.stdin.readline, ""):
    episodes += line == "reset\\n"
    if episodes == 4 and "frail" in sys.argv:
        os.abort()
    with open(sys.argv[1], "w") as file:
        file.write(line)
    os.rename(sys.argv[1], sys.argv[2])
"""


class Turtlebot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    arguments = ("frail",)

    def __init__(self):
        self.simulator = None

    def _start(self):
        self.folder = tempfile.TemporaryDirectory()
        self.answer = self.folder.name + "/scan"
        self.simulator = subprocess.Popen(
            [sys.executable, "-c", SIMULATOR, self.answer + ".new", self.answer, *self.arguments],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _wait_for_message(self, line):
        try:
            self.simulator.stdin.write(line)
            self.simulator.stdin.flush()
        except BrokenPipeError:
            pass
        while not os.path.exists(self.answer):
            time.sleep(0.001)
        os.unlink(self.answer)
        return np.array([self.steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        if self.simulator is None:
            self._start()
        return self._wait_for_message("reset\n"), {}

    def step(self, action):
        self.steps += 1
        return self._wait_for_message("step\n"), 0.0, False, self.steps == 10, {}

    def close(self):
        if self.simulator is not None:
            self.simulator.stdin.close()
            self.simulator.wait()
            self.folder.cleanup()
            self.simulator = None


class Cured(Turtlebot):
    arguments = ()
