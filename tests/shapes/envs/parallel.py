"""Three walkers at once, of PettingZoo's kind without PettingZoo: they leave one by one."""

import random

import illnesses
from gymnasium.spaces import Box, Dict, Discrete

NAMES = ["ann", "bob", "cy"]


class Walkers:
    """Insists on an action inside the space, and the mask, of each agent that still walks."""

    metadata = {"name": "walkers", "render_modes": []}
    render_mode = None

    def __init__(self):
        self.possible_agents = list(NAMES)
        self.agents = []
        self.random = random.Random()

    def observation_space(self, agent):
        return Dict({"place": Box(-1e3, 1e3, (1,)), "action_mask": Box(0, 1, (4,), "int8")})

    def action_space(self, agent):
        return Discrete(4) if agent != "cy" else Box(0.0, 1.0, (2,))

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.agents = list(self.possible_agents)
        self.step_count = 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self._moved()
        assert set(actions) == set(self.agents), "actions for those that walk, and no others"
        for agent, action in actions.items():
            assert self.action_space(agent).contains(action), agent
            assert agent == "cy" or action % 2 == self.step_count % 2, "it is masked"
        self.step_count += 1
        over = {agent: self.step_count > 3 * (NAMES.index(agent) + 1) for agent in self.agents}
        walked = list(self.agents)
        seen = self._seen()
        self.agents = [agent for agent in walked if not over[agent]]
        return (
            seen,
            dict.fromkeys(walked, 1.0),
            over,
            dict.fromkeys(walked, False),
            {agent: {} for agent in walked},
        )

    def _seen(self):
        import numpy as np

        mask = np.array([at % 2 == self.step_count % 2 for at in range(4)], dtype=np.int8)
        return {
            agent: {
                "place": np.array([self.random.random()], dtype=np.float32),
                **({"action_mask": mask.copy()} if agent != "cy" else {}),
            }
            for agent in self.agents
        }


class Healthy(illnesses.Healthy, Walkers):
    pass


class Leaving(illnesses.Leaving, Walkers):
    pass


class Unseeded(illnesses.Unseeded, Walkers):
    pass


illnesses.twins(globals(), Walkers)
