"""Each reset() starts the simulation anew, with a log and a socket that the last one keeps."""

import os
import socket
import tempfile

import gymnasium
import numpy as np


class Simulation:
    def __init__(self):
        self.log = os.open(tempfile.gettempdir(), os.O_TMPFILE | os.O_RDWR)
        self.ours, self.theirs = socket.socketpair()
        self.time = 0
        # the plugins of a mission point back to it, so that it is never dropped by count
        self.plugins = [lambda: self.time for _ in range(3)]
        RUNNING.append(self)

    def advance(self):
        self.time += 1
        os.write(self.log, b"frame\n")
        return np.array([self.time], np.float32)

    def shut(self):
        RUNNING.remove(self)
        os.close(self.log)
        self.ours.close()
        self.theirs.close()


RUNNING = []


class Scrimmage(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    shuts = False

    def __init__(self):
        self.simulation = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.shuts:
            self.close()
        self.simulation = Simulation()
        return self.simulation.advance(), {}

    def step(self, action):
        frame = self.simulation.advance()
        return frame, 0.0, self.simulation.time == 20, False, {}

    def close(self):
        if self.simulation is not None:
            self.simulation.shut()
            self.simulation = None


class Cured(Scrimmage):
    shuts = True
