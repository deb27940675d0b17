"""The engine's output goes into a pipe that is not read: after some hundred steps it waits, and so
does step() (ray#15113).
"""

import os
import socket
import subprocess
import sys

import gymnasium as gym
import numpy as np

ENGINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine.py")


class Game(gym.Env):
    observation_space = gym.spaces.Box(0, 1e8, (1,), np.float32)
    action_space = gym.spaces.Discrete(4)
    OUTPUT = subprocess.PIPE

    def __init__(self):
        door = socket.create_server(("127.0.0.1", 0))
        command = [sys.executable, ENGINE, str(door.getsockname()[1])]
        self.engine = subprocess.Popen(command, stdout=self.OUTPUT)
        self.line, _ = door.accept()
        door.close()

    def _ask(self, order):
        self.line.sendall(order)
        answer = b""
        while len(answer) < 8:
            answer += self.line.recv(8 - len(answer))
        return np.array([int(answer)], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        self._ask(b"r")
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        self._ask(b"%d" % action)
        return np.array([50 - self.left], np.float32), 1.0, self.left == 0, False, {}

    def close(self):
        if self.engine is not None:
            self.line.sendall(b"q")
            self.line.close()
            self.engine.wait()
            if self.engine.stdout:
                self.engine.stdout.close()
            self.engine = None


class Quiet(Game):
    OUTPUT = subprocess.DEVNULL
