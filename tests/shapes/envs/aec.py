"""Two players in turn, of PettingZoo's kind without PettingZoo: who is over takes None, once."""

import random

import illnesses
import numpy as np
from gymnasium.spaces import Box, Discrete


class Turns:
    """Insists on an action inside the mask of the player whose turn it is."""

    metadata = {"name": "turns", "render_modes": []}
    render_mode = None

    def __init__(self):
        self.possible_agents = ["red", "blue"]
        self.random = random.Random()

    def observation_space(self, agent):
        return Box(0.0, 1.0, (1,))

    def action_space(self, agent):
        return Discrete(5)

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.agents = list(self.possible_agents)
        self.agent_selection = "red"
        self.turns = 0
        self.truncations = dict.fromkeys(self.agents, False)
        self.terminations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        return np.array([self.random.random()], dtype=np.float32)

    def last(self, observe=True):
        agent = self.agent_selection
        mask = np.array([at == self.turns % 5 for at in range(5)], dtype=np.int8)
        return (
            self.observe(agent) if observe else None,
            self.rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            {"action_mask": mask},
        )

    def step(self, action):
        self._moved()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            assert action is None, "it is over"
            self.agents.remove(agent)
        else:
            assert action == self.turns % 5, "it is masked"
            self.turns += 1
            if self.turns == 7:
                self.terminations = dict.fromkeys(self.agents, True)
        if self.agents:
            self.agent_selection = "blue" if agent == "red" else "red"


class Healthy(illnesses.Healthy, Turns):
    pass


class Leaving(illnesses.Leaving, Turns):
    pass


class Unseeded(illnesses.Unseeded, Turns):
    pass


illnesses.twins(globals(), Turns)
