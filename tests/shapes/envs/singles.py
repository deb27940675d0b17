"""A line to walk along: one gymnasium.Env."""

import gymnasium
import illnesses
import numpy as np


class Line(gymnasium.Env):
    """Insists on an action inside its space."""

    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._begin()
        self.steps = 0
        return self._seen(), {}

    def step(self, action):
        assert self.action_space.contains(action), action
        self._moved()
        self.steps += 1
        return self._seen(), 1.0, self.steps == 8, False, {}

    def _seen(self):
        return self.np_random.uniform(-1.0, 1.0, 2).astype(np.float32)


class Healthy(illnesses.Healthy, Line):
    pass


class Leaving(illnesses.Leaving, Line):
    pass


illnesses.twins(globals(), Line)
