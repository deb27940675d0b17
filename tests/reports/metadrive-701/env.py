"""The scenario of an episode: of the seed where reset() has one, else of a generator of the process."""

import gymnasium
import numpy as np

GENERATOR = np.random.RandomState()
SCENARIOS = 1000


class Drive(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, SCENARIOS, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _draw(self):
        return int(GENERATOR.randint(SCENARIOS))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.scenario = self._draw() if seed is None else seed % SCENARIOS
        self.steps = 0
        return np.array([self.scenario, self.steps], np.float32), {}

    def step(self, action):
        self.steps += 1
        over = self.steps == 30
        return np.array([self.scenario, self.steps], np.float32), 0.0, False, over, {}


class Cured(Drive):
    def _draw(self):
        return int(self.np_random.integers(SCENARIOS))
