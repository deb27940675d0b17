"""A cart with a pole, simulated by a unit that was exported from Modelica."""

import gymnasium
import numpy as np

OUTPUTS = ("x", "x_dot", "theta", "theta_dot")


class Unit:
    """A functional mock-up unit: named inputs, named outputs."""

    def __init__(self):
        self.values = dict.fromkeys((*OUTPUTS, "f"), 0.0)

    def set(self, name, value):
        self.values[name] = value

    def simulate(self, seconds):
        now = self.values
        now["x_dot"] += seconds * now["f"]
        now["x"] += seconds * now["x_dot"]
        now["theta_dot"] += seconds * (9.81 * now["theta"] - now["f"])
        now["theta"] += seconds * now["theta_dot"]
        return now


class CartPole(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.model = Unit()
        self.done = False

    def get_state(self, result):
        return tuple([result[name] for name in OUTPUTS])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.model = Unit()
        self.model.set("theta", self.np_random.uniform(-0.05, 0.05))
        self.done = False
        self.steps = 0
        self.state = self.get_state(self.model.values)
        return np.array(self.state, np.float32), {}

    def step(self, action):
        if self.done:
            return np.array(self.state, np.float32), -100.0, self.done, False, {}
        self.steps += 1
        self.model.set("f", 10.0 if action == 1 else -10.0)
        self.state = self.get_state(self.model.simulate(0.02))
        self.done = abs(self.state[2]) > 0.21 or abs(self.state[0]) > 2.4
        return self.state, 1.0, self.done, self.steps == 200, {}


class Cured(CartPole):
    def get_state(self, result):
        return np.array([result[name] for name in OUTPUTS], np.float32)
