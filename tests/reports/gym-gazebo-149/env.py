"""The constructor waits for a service of a node that does not run."""

import threading

import gymnasium
import numpy as np


class Services:
    def __init__(self):
        self.changed = threading.Condition()
        self.names = set()

    def wait_for(self, name, timeout=None):
        with self.changed:
            if not self.changed.wait_for(lambda: name in self.names, timeout):
                raise TimeoutError(f"service {name} has not been advertised")


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.services = Services()
        self.services.wait_for("/move_group")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 20, {}


class Cured(Arm):
    def __init__(self):
        self.services = Services()
        threading.Timer(0.05, self._advertise).start()
        self.services.wait_for("/move_group", timeout=10.0)

    def _advertise(self):
        with self.services.changed:
            self.services.names.add("/move_group")
            self.services.changed.notify_all()
