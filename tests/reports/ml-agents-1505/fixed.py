"""A simulator that connects to a free port, another one for each environment."""

import socket
import subprocess
import sys

import gymnasium
import numpy as np

PLAYER = """
import socket, sys
connection = socket.create_connection(("localhost", int(sys.argv[1])))
while connection.recv(1):
    connection.sendall(b"s")
"""


class Arena(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.server = socket.socket()
        self.server.bind(("localhost", 0))
        self.server.listen(1)
        port = self.server.getsockname()[1]
        self.player = subprocess.Popen([sys.executable, "-c", PLAYER, str(port)])
        self.connection, _ = self.server.accept()
        self.is_open = True

    def _exchange(self):
        self.connection.sendall(b"s")
        self.connection.recv(1)
        return np.array([self.steps], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self._exchange(), {}

    def step(self, action):
        self.steps += 1
        return self._exchange(), 0.0, self.steps == 20, False, {}

    def close(self):
        if self.is_open:
            self.connection.close()
            self.server.close()
            self.player.wait()
            self.is_open = False
