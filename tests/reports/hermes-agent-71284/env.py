"""Each call of the tool starts a child, reads its output, and never waits for its end."""

import os

import gymnasium
import numpy as np


class Terminal(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    commands = ("true", "echo one", "pwd | wc -l")
    reaps = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def run(self, command):
        reading, writing = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, writing, 1)]
        child = os.posix_spawn("/bin/sh", ["sh", "-c", command], {}, file_actions=actions)
        os.close(writing)
        with open(reading, "rb") as output:
            text = output.read()
        if self.reaps:
            os.waitpid(child, 0)
        return text

    def step(self, action):
        self.turn += 1
        size = len(self.run(self.commands[int(action)]))
        return np.array([size], np.float32), 0.0, False, self.turn == 10, {}


class Cured(Terminal):
    reaps = True
