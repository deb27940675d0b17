"""An observation is a dict, in which the user is the array that the next step() changes."""

import gymnasium
import numpy as np


class Recsim(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {
            "user": gymnasium.spaces.Box(-10.0, 10.0, (4,), np.float32),
            "doc": gymnasium.spaces.Box(0.0, 1.0, (5, 4), np.float32),
        }
    )
    action_space = gymnasium.spaces.Discrete(5)
    copies = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.user = self.np_random.uniform(-1.0, 1.0, 4).astype(np.float32)
        return self.observe(), {}

    def observe(self):
        self.docs = self.np_random.random((5, 4), np.float32)
        user = self.user.copy() if self.copies else self.user
        return {"user": user, "doc": self.docs.copy()}

    def step(self, action):
        self.steps += 1
        reward = float(self.user @ self.docs[int(action)])
        self.user += 0.1 * (self.docs[int(action)] - 0.5)
        return self.observe(), reward, False, self.steps == 25, {}


class Cured(Recsim):
    copies = True
