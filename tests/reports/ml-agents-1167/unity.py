"""After close() the port is not free for a minute: the next environment cannot be made."""

import socket

import gymnasium as gym
import numpy as np


class Banana(gym.Env):
    """The simulator connects to a server of this process, whose end closes first."""

    observation_space = gym.spaces.Box(-1, 1, (4,), np.float32)
    action_space = gym.spaces.Discrete(3)
    PORT = 25105

    def __init__(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", self.PORT))
            server.listen()
            self.simulator = socket.create_connection(server.getsockname())
            self.connection, _ = server.accept()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self.np_random.uniform(-1, 1, 4).astype(np.float32), {}

    def step(self, action):
        self.left -= 1
        return self.np_random.uniform(-1, 1, 4).astype(np.float32), 0.0, self.left == 0, False, {}

    def close(self):
        self.connection.close()
        self.simulator.close()
