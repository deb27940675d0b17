"""Three walkers carry a package."""

import numpy as np

AGENTS = ["walker_0", "walker_1", "walker_2"]


class World:
    def __init__(self):
        self.generator = np.random.default_rng(7)

    def reset(self):
        self.legs = {agent: self.generator.uniform(-0.1, 0.1, 2) for agent in AGENTS}
        self.cycles = 0

    def move(self, agent, action):
        self.legs[agent] = self.legs[agent] * 0.9 + 0.1 * np.asarray(action)

    def observe(self, agent):
        return np.array([*self.legs[agent], self.cycles / 50.0], np.float32)


class TurnEnv:
    """The agents in turns (AEC)."""

    def __init__(self):
        self.world = World()

    def reset(self):
        self.world.reset()
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self.dones = dict.fromkeys(AGENTS, False)

    def observe(self, agent):
        return self.world.observe(agent)

    def step(self, action):
        number = AGENTS.index(self.agent_selection)
        self.world.move(self.agent_selection, action)
        self.rewards[self.agent_selection] = -float(np.abs(action).sum())
        if number + 1 == len(AGENTS):
            self.world.cycles += 1
            self.dones = dict.fromkeys(AGENTS, self.world.cycles == 50)
        self.agent_selection = AGENTS[(number + 1) % len(AGENTS)]

    def close(self):
        pass


class ParallelEnv:
    """All agents at once."""

    def __init__(self):
        self.world = World()

    def reset(self):
        self.world.reset()
        return {agent: self.world.observe(agent) for agent in AGENTS}

    def step(self, actions):
        for agent in AGENTS:
            self.world.move(agent, actions[agent])
        self.world.cycles += 1
        observations = {agent: self.world.observe(agent) for agent in AGENTS}
        rewards = {agent: -float(np.abs(actions[agent]).sum()) for agent in AGENTS}
        return observations, rewards, dict.fromkeys(AGENTS, self.world.cycles == 50), {}

    def close(self):
        pass
