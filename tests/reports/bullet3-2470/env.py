"""A client disconnects in close(), and once more when it is freed, by its number."""

import gymnasium
import numpy as np

SERVERS = {}


class PhysicsError(Exception):
    pass


def connect():
    """The smallest number that is free, as the engine gives it."""
    number = next(number for number in range(1024) if number not in SERVERS)
    SERVERS[number] = np.zeros(6, np.float32)
    return number


def world(client):
    if client not in SERVERS:
        raise PhysicsError("Not connected to physics server.")
    return SERVERS[client]


def disconnect(client):
    world(client)
    del SERVERS[client]


class BulletClient:
    forgets = False

    def __init__(self):
        self.client = connect()

    def __del__(self):
        try:
            disconnect(self.client)
        except PhysicsError:
            pass

    def disconnect(self):
        disconnect(self.client)
        if self.forgets:
            self.client = -1


class CuredClient(BulletClient):
    forgets = True

    def __deepcopy__(self, memo):
        raise TypeError("a connection cannot be copied")


class Robot:
    def __init__(self, env):
        self.env = env
        self.contacts = []

    def move(self, action):
        state = world(self.env.physics.client)
        state[:] += 0.05 * action
        self.contacts.append([[part, float(force)] for part, force in enumerate(state)])


class Cheetah(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (6,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (6,), np.float32)
    Client = BulletClient

    def __init__(self):
        self.physics = None
        self.robot = Robot(self)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.physics is None:
            self.physics = self.Client()
        self.steps = 0
        self.robot.contacts = []
        world(self.physics.client)[:] = self.np_random.uniform(-1.0, 1.0, 6)
        return world(self.physics.client).copy(), {}

    def step(self, action):
        self.steps += 1
        self.robot.move(action)
        return world(self.physics.client).copy(), 0.0, False, self.steps == 50, {}

    def close(self):
        if self.physics is not None and self.physics.client in SERVERS:
            self.physics.disconnect()


class Cured(Cheetah):
    Client = CuredClient
