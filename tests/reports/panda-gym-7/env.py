"""close() ends the connection of the first client of the physics engine, not its own."""

import gymnasium
import numpy as np

CLIENTS = {}


class PhysicsError(Exception):
    pass


def connect():
    """The smallest number that is free, as the engine gives it."""
    number = next(number for number in range(1024) if number not in CLIENTS)
    CLIENTS[number] = np.zeros(3, np.float32)
    return number


def world(client):
    if client not in CLIENTS:
        raise PhysicsError("Not connected to physics server.")
    return CLIENTS[client]


def disconnect(client=0):
    world(client)
    del CLIENTS[client]


class Reach(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self):
        self.client = connect()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        world(self.client)[:] = self.np_random.uniform(-1.0, 1.0, 3)
        return world(self.client).copy(), {}

    def step(self, action):
        self.steps += 1
        world(self.client)[:] += 0.05 * action
        return world(self.client).copy(), 0.0, False, self.steps == 50, {}

    def close(self):
        if self.client is not None:
            disconnect()
            self.client = None


class Cured(Reach):
    def __deepcopy__(self, memo):
        raise TypeError("a client of the physics server cannot be copied")

    def close(self):
        if self.client is not None:
            disconnect(self.client)
            self.client = None
