"""An agent may keep its session; the flag outlives the episode, and no later one is deleted."""

import os
import shutil
import tempfile

import gymnasium
import numpy as np


class World(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)  # 2: done, and keep the session for later
    forgets = False

    def __init__(self):
        self.folder = None
        self.keeps = False

    def _clean(self):
        if self.folder is not None and not self.keeps:
            shutil.rmtree(self.folder)
        self.folder = None
        if self.forgets:
            self.keeps = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._clean()
        self.folder = tempfile.mkdtemp(prefix="session-")
        with open(os.path.join(self.folder, "state.json"), "w") as file:
            file.write("{}")
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.turn += 1
        self.keeps = self.keeps or action == 2
        return np.array([self.turn], np.float32), 0.0, bool(action == 2), self.turn == 8, {}

    def close(self):
        self._clean()


class Cured(World):
    forgets = True

    def step(self, action):
        frame = super().step(action)
        self.keeps = False  # what is kept is moved out of the temporary folder by the caller
        return frame
