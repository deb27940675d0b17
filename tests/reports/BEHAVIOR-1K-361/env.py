"""A simulation of a household in an application for each process. close() ends the application."""

import os

import gymnasium
import numpy as np


class App:
    """The application of the simulator: one for each process, with threads and devices of its own."""

    current = None

    def __init__(self):
        self.scene = None
        App.current = self

    def load(self, rng):
        self.scene = {"robot": rng.uniform(-1.0, 1.0, 3), "cup": rng.uniform(-1.0, 1.0, 3)}

    def clear(self):
        self.scene = None

    def close(self):
        """Native code ends the process when the last window is gone."""
        self.scene = None
        os._exit(0)


def launch():
    return App.current or App()


class Household(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-5.0, 5.0, (6,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self):
        self.app = launch()

    def look(self):
        return np.concatenate(list(self.scene.values())).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.app.load(self.np_random)
        self.scene = self.app.scene
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        self.scene["robot"] = np.clip(self.scene["robot"] + 0.1 * action, -5.0, 5.0)
        distance = float(np.linalg.norm(self.scene["robot"] - self.scene["cup"]))
        return self.look(), -distance, distance < 0.2, self.steps == 60, {}

    def close(self):
        self.app.close()


class Cured(Household):
    def close(self):
        self.app.clear()
