"""close() closes the inner environment, which deletes its own, and keeps the handle."""

import gymnasium
import numpy as np


class Offscreen:
    def __init__(self):
        self.env = np.random.default_rng(0)

    def seed(self, seed):
        if seed is not None:
            self.env.bit_generator.state = np.random.default_rng(seed).bit_generator.state

    def look(self):
        return self.env.uniform(0.0, 1.0, 3).astype(np.float32)

    def close(self):
        del self.env


class Libero(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (7,), np.float32)
    forgets = False

    def __init__(self):
        self.inner = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.inner is None:
            self.inner = Offscreen()
            self.inner.seed(int(self.np_random.integers(2**31)))
        self.inner.seed(seed)
        self.left = 20
        self.inner.env.uniform()
        return self.inner.look(), {}

    def step(self, action):
        self.left -= 1
        return self.inner.look(), 0.0, False, self.left == 0, {}

    def close(self):
        if self.inner is not None:
            self.inner.close()
            if self.forgets:
                self.inner = None


class Cured(Libero):
    forgets = True
