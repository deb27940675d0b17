"""Two ferries that cross at once, each to a pier of its own."""

import numpy as np
from gymnasium.spaces import Box, Discrete
from pettingzoo import ParallelEnv


class Ferries(ParallelEnv):
    render_mode = None

    def __init__(self):
        self.metadata = {"name": "ferries", "render_modes": []}
        self.possible_agents = ["north", "south"]
        self.agents = []
        self.random = np.random.default_rng()

    def observation_space(self, agent):
        return Box(-50.0, 50.0, (2,))

    def action_space(self, agent):
        return Discrete(3)

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.hours = 0
        self.places = {agent: self.random.uniform(-1, 1, 2) for agent in self.agents}
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.hours += 1
        for agent, action in actions.items():
            self.places[agent] += (action - 1, self.random.normal(0, 0.1))
        sailed, over = list(self.agents), self.hours == 12
        seen = self._seen()
        self.agents = [] if over else sailed
        return (
            seen,
            {agent: -float(abs(self.places[agent][1])) for agent in sailed},
            dict.fromkeys(sailed, False),
            dict.fromkeys(sailed, over),
            {agent: {"hours": self.hours} for agent in sailed},
        )

    def close(self):
        self.agents = []

    def _seen(self):
        return {agent: self.places[agent].astype(np.float32) for agent in self.agents}
