"""A team of agents: step() returns a dict in the place of truncated, which is true."""

import gymnasium
import numpy as np

AGENTS = ["agent_0", "agent_1", "agent_2"]


class Field(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {agent: gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32) for agent in AGENTS}
    )
    action_space = gymnasium.spaces.MultiDiscrete([4] * len(AGENTS))

    def observe(self):
        return {agent: self.places[agent].copy() for agent in AGENTS}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.places = {agent: self.np_random.random(2, np.float32) for agent in AGENTS}
        return self.observe(), {}

    def ends(self):
        return dict.fromkeys(AGENTS, self.steps == 20)

    def step(self, action):
        self.steps += 1
        for agent, number in zip(AGENTS, action, strict=True):
            moved = self.places[agent][int(number) // 2] + np.float32(
                0.1 * (int(number) % 2) - 0.05
            )
            self.places[agent][int(number) // 2] = np.clip(moved, 0.0, 1.0)
        return self.observe(), 0.0, False, self.ends(), {}


class Cured(Field):
    def ends(self):
        return self.steps == 20
