"""CartPole in two workers of DI-engine, without a policy."""

import gym
import numpy as np
from ding.envs import DingEnvWrapper, SyncSubprocessEnvManager


def make():
    return DingEnvWrapper(gym.make("CartPole-v1", disable_env_checker=True))


def main():
    settings = SyncSubprocessEnvManager.default_config()
    settings.episode_num = float("inf")
    envs = SyncSubprocessEnvManager([make] * 2, settings)
    envs.seed(1)
    envs.launch()
    for _ in range(500):
        envs.step({slot: np.array(1) for slot in envs.ready_obs})
    envs.close()


if __name__ == "__main__":
    main()
