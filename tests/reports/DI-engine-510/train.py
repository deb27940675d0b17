"""The manager is of the type "base": collector and evaluator play in the trainer's process."""

import sys

import gym
import numpy as np
from ding.envs import BaseEnv, BaseEnvManagerV2, BaseEnvTimestep, SubprocessEnvManagerV2

PARALLEL = "subprocess" in sys.argv


class Option(BaseEnv):
    def __init__(self, cfg=None):
        self._init_flag = False
        self._observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self._rng = np.random.default_rng(0)

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)

    def seed(self, seed, dynamic_seed=True):
        self._rng = np.random.default_rng(seed)

    def reset(self):
        self._left = 20
        return self._rng.uniform(-1, 1, 2).astype(np.float32)

    def step(self, action):
        self._left -= 1
        observation = self._rng.uniform(-1, 1, 2).astype(np.float32)
        info = {"eval_episode_return": 0.0} if self._left == 0 else {}
        return BaseEnvTimestep(observation, np.zeros(1, np.float32), self._left == 0, info)

    def close(self):
        pass

    def __repr__(self):
        return "Option"


def main():
    kind = SubprocessEnvManagerV2 if PARALLEL else BaseEnvManagerV2
    managers = [kind([Option] * 2, kind.default_config()) for _ in ("collector", "evaluator")]
    for number, manager in enumerate(managers):
        manager.seed(number)
        manager.launch()
    for _ in range(200):
        for manager in managers:
            manager.step(
                [np.array(1) for _ in manager.ready_obs_id]
                if PARALLEL
                else [np.array(1)] * len(manager.ready_obs)
            )
    for manager in managers:
        manager.close()


if __name__ == "__main__":
    main()
