"""A line to walk along: one BaseEnv of DI-engine's."""

import gym
import illnesses
import numpy as np
from ding.envs import BaseEnv, BaseEnvTimestep


class Line(BaseEnv):
    """Ends after eight steps."""

    def __init__(self, cfg=None):
        self._observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(0.0, 8.0, (1,), np.float32)
        self._random = np.random.default_rng(0)

    def seed(self, seed, dynamic_seed=True):
        self._random = np.random.default_rng(seed)

    def reset(self):
        self._begin()
        self._steps = 0
        return self._seen()

    def step(self, action):
        self._moved()
        self._steps += 1
        over = self._steps >= 8
        info = {"eval_episode_return": float(self._steps)} if over else {}
        return BaseEnvTimestep(self._seen(), np.ones(1, np.float32), over, info)

    def _seen(self):
        return self._random.uniform(-1.0, 1.0, 2).astype(np.float32)

    def __repr__(self):
        return "Line"

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)


class Healthy(illnesses.Healthy, Line):
    pass
