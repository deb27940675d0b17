"""Each instance listens on the same port: there is one on a machine."""

import socket

import gymnasium as gym
import numpy as np


class Unity(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (4,), np.float32)
    action_space = gym.spaces.Discrete(3)
    BASE_PORT = 25005

    def __init__(self, worker_id=0):
        self.server = socket.socket()
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.server.bind(("127.0.0.1", self.BASE_PORT and self.BASE_PORT + worker_id))
        except OSError as error:
            self.server.close()
            text = f"Couldn't start socket communication because worker number {worker_id} is still in use."
            raise RuntimeError(text) from error
        self.server.listen()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self.np_random.uniform(-1, 1, 4).astype(np.float32), {}

    def step(self, action):
        self.left -= 1
        return self.np_random.uniform(-1, 1, 4).astype(np.float32), 0.0, self.left == 0, False, {}

    def close(self):
        self.server.close()


class Cured(Unity):
    BASE_PORT = 0
