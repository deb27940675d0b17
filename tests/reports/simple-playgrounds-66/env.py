"""A playground with an agent that has sensors. The engine moves, and updates what they see."""

import gymnasium
import numpy as np


class Agent:
    def __init__(self):
        self.place = np.zeros(2)
        self.observations = {}


class Engine:
    def __init__(self):
        self.agent = Agent()
        self.goal = np.zeros(2)

    def update_observations(self):
        way = self.goal - self.agent.place
        self.agent.observations = {
            "place": self.agent.place.astype(np.float32),
            "lidar": np.array([np.hypot(*way)], np.float32),
        }

    def reset(self, rng):
        self.agent.place = rng.uniform(0.0, 50.0, 2)
        self.goal = rng.uniform(50.0, 100.0, 2)

    def step(self, moves):
        self.agent.place = np.clip(self.agent.place + moves, 0.0, 100.0)
        self.update_observations()


class Cured(Engine):
    def reset(self, rng):
        super().reset(rng)
        self.update_observations()


class Playground(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(
        {
            "place": gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32),
            "lidar": gymnasium.spaces.Box(0.0, 200.0, (1,), np.float32),
        }
    )
    action_space = gymnasium.spaces.Box(-2.0, 2.0, (2,), np.float32)

    def __init__(self, engine):
        self.engine = engine

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.engine.reset(self.np_random)
        self.steps = 0
        return self.engine.agent.observations, {}

    def step(self, action):
        self.steps += 1
        self.engine.step(action)
        seen = self.engine.agent.observations
        over = bool(seen["lidar"][0] < 5.0)
        return seen, float(over), over, self.steps == 90, {}


def make():
    return Playground(Engine())


def make_cured():
    return Playground(Cured())
