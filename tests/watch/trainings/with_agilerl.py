"""AgileRL's AsyncPettingZooVecEnv. Prints a digest of what came back."""

import hashlib

import numpy as np
from agilerl.vector import AsyncPettingZooVecEnv
from gymnasium.spaces import Box, Discrete
from pettingzoo import ParallelEnv
from tally import counting


class Walk(ParallelEnv):
    """Two that walk for 20 steps."""

    metadata = {"name": "walk", "render_modes": []}
    render_mode = None

    def __init__(self):
        self.possible_agents = ["a", "b"]
        self.agents = []

    def observation_space(self, agent):
        return Box(-1e3, 1e3, (2,), np.float32)

    def action_space(self, agent):
        return Discrete(3)

    def reset(self, seed=None, options=None):
        self.agents, self.at = list(self.possible_agents), 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.at += 1
        every = list(self.agents)
        over = self.at >= 20
        seen = self._seen()
        self.agents = [] if over else every
        ends = dict.fromkeys(every, over)
        return seen, dict.fromkeys(every, 1.0), ends, dict.fromkeys(every, False), {}

    def _seen(self):
        return {agent: np.full(2, self.at, np.float32) for agent in self.agents}

    def close(self):
        pass


Counting = counting(Walk)

if __name__ == "__main__":
    envs = AsyncPettingZooVecEnv([Counting] * 2)
    digest = hashlib.sha256()
    envs.reset(seed=5)
    for _ in range(150):
        seen = envs.step({agent: np.ones(2, np.int64) for agent in envs.agents})[0]
        digest.update(b"".join(np.asarray(seen[agent]).tobytes() for agent in sorted(seen)))
    envs.close()
    print(digest.hexdigest())
