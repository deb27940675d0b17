"""Two walkers that act at once, as PettingZoo's ParallelEnv does. Their lidar is never stopped."""

import threading

import numpy as np
from gymnasium.spaces import Box, Discrete


class Walkers:
    def __init__(self):
        self.possible_agents = ["ann", "bob"]
        self.agents = []
        self.lidar = None

    def observation_space(self, agent):
        return Box(0.0, 1.0, (3,))

    def action_space(self, agent):
        return Discrete(2)

    def reset(self, seed=None, options=None):
        if self.lidar is None:
            self.lidar = threading.Thread(target=threading.Event().wait, daemon=True)
            self.lidar.start()
        self.agents = list(self.possible_agents)
        self.steps = 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions):
        self.steps += 1
        walked = self.agents
        over = self.steps == 20
        self.agents = [] if over else walked
        return (
            self._seen(walked),
            dict.fromkeys(walked, 1.0),
            dict.fromkeys(walked, over),
            dict.fromkeys(walked, False),
            {agent: {} for agent in walked},
        )

    def close(self):
        pass

    def _seen(self, agents=None):
        return {agent: np.zeros(3, dtype=np.float32) for agent in agents or self.agents}
