"""DI-engine's managers: with_ding.py base|async|sync. Prints how many steps came back."""

import sys

import gym
import numpy as np
from ding.envs import (
    AsyncSubprocessEnvManager,
    BaseEnv,
    BaseEnvManager,
    BaseEnvTimestep,
    SyncSubprocessEnvManager,
)
from tally import counting


class Walk(BaseEnv):
    """A walk that ends after 20 steps."""

    def __init__(self, cfg=None):
        self.at = 0
        self._observation_space = gym.spaces.Box(-1e3, 1e3, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(-1e3, 1e3, (1,), np.float32)

    def reset(self):
        self.at = 0
        return np.zeros(2, np.float32)

    def step(self, action):
        self.at += 1
        seen = np.full(2, self.at, np.float32)
        info = {"eval_episode_return": self.at}
        return BaseEnvTimestep(seen, np.ones(1, np.float32), self.at >= 20, info)

    def seed(self, seed, dynamic_seed=True):
        pass

    def close(self):
        pass

    def __repr__(self):
        return "Walk"

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)


Counting = counting(Walk)
MANAGERS = {
    "base": BaseEnvManager,
    "async": AsyncSubprocessEnvManager,
    "sync": SyncSubprocessEnvManager,
}


def make():
    return Counting()


if __name__ == "__main__":
    kind = MANAGERS[sys.argv[1]]
    settings = kind.default_config()
    settings.episode_num = float("inf")
    envs = kind([make] * 2, settings)
    envs.seed(4)
    envs.launch()
    came = 0
    while came < 300:
        ready = envs.ready_obs
        came += len(envs.step({slot: np.array([1]) for slot in ready}))
    envs.close()
    print(came >= 300)
