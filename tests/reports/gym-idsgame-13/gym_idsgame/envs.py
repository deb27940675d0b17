"""The defender protects nodes, and the opponent attacks them."""

import gymnasium
import numpy as np


class IdsGameEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self, opponent):
        self.opponent = opponent

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.defense = self.np_random.integers(1, 4, 4).astype(np.float32)
        self.steps = 0
        return self.defense.copy(), {}

    def step(self, action):
        self.defense[int(action)] = min(10.0, self.defense[int(action)] + 1.0)
        weakest = int(self.defense.argmin())
        node = weakest if self.opponent == "maximal_attack" else int(self.np_random.integers(4))
        self.defense[node] = max(0.0, self.defense[node] - 1.0)
        self.steps += 1
        lost = bool(self.defense[node] == 0.0)
        return self.defense.copy(), -1.0 if lost else 0.0, lost, self.steps == 50, {}
