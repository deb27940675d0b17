"""The package's environment."""

import gymnasium
from gymnasium.spaces import Discrete


class MyEnv(gymnasium.Env):
    """Walk to the end of a corridor."""

    observation_space = Discrete(10)
    action_space = Discrete(2)

    def __init__(self):
        self.place = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(5))
        return self.place, {}

    def step(self, action):
        self.place = max(0, min(9, self.place + (1 if action else -1)))
        return self.place, float(self.place == 9), self.place == 9, False, {}
