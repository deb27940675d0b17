"""A wrapper that begins the next episode of a parallel environment by itself."""

import numpy as np


class AutoResetParallelWrapper:
    def __init__(self, env):
        self.env = env
        self.metadata = env.metadata
        self.possible_agents = env.possible_agents

    def reset(self, seed=None, options=None):
        observations, infos = self.env.reset(seed=seed, options=options)
        self.agents = self.env.agents
        return observations, infos

    def is_over(self, terminations, truncations):
        return np.any(list(terminations.values())) or np.any(list(truncations.values()))

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        if self.is_over(terminations, truncations):
            observations, infos = self.env.reset()
        self.agents = self.env.agents
        return observations, rewards, terminations, truncations, infos

    def close(self):
        self.env.close()

    def observation_space(self, agent):
        return self.env.observation_space(agent)

    def action_space(self, agent):
        return self.env.action_space(agent)


class CuredWrapper(AutoResetParallelWrapper):
    def is_over(self, terminations, truncations):
        return not self.env.agents
