"""A vehicle whose solver is a library: what ends a run also cuts its connection to the browser."""

import gymnasium
import numpy as np


class Solver:
    """The library of the simulator. It needs a running copy of the browser, which has the license."""

    def __init__(self):
        self.connected = False
        self.running = False
        self.time = 0.0

    def read_configuration(self):
        if self.connected:
            raise RuntimeError("the configuration was read already")
        self.connected = True

    def initialize(self):
        if self.running:
            raise RuntimeError("the solver was reinitialized before calling vs_terminate()")
        if not self.connected:
            raise RuntimeError("you need a running copy of the browser")
        self.running = True
        self.time = 0.0

    def integrate(self, steering, state):
        self.time += 0.05
        position, heading = state
        return position + 0.5 * np.sin(heading), heading + 0.05 * steering

    def terminate_run(self):
        self.running = False
        self.connected = False

    def stop(self):
        """End the run, and keep the connection."""
        self.running = False


class CarSim(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    keeps_connection = False

    def __init__(self):
        self.solver = Solver()
        self.solver.read_configuration()

    def observe(self):
        return np.array(self.state, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.end_run()
        self.solver.initialize()
        self.state = (float(self.np_random.uniform(-1.0, 1.0)), 0.0)
        return self.observe(), {}

    def step(self, action):
        self.state = self.solver.integrate(int(action) - 1, self.state)
        position = self.state[0]
        return self.observe(), -abs(position), abs(position) > 5.0, self.solver.time > 5.0, {}

    def end_run(self):
        if self.solver.running and self.keeps_connection:
            self.solver.stop()
        elif self.solver.running:
            self.solver.terminate_run()

    def close(self):
        self.end_run()


class Cured(CarSim):
    keeps_connection = True


def make():
    return CarSim()


def cured():
    return Cured()
