"""Several environments in one process, with one space of actions for all of them."""

import gymnasium
import numpy as np


def batch_space(space, n):
    if isinstance(space, gymnasium.spaces.Discrete):
        return gymnasium.spaces.MultiDiscrete(np.full((n,), space.n))
    return gymnasium.spaces.Box(
        np.repeat(space.low[None], n, axis=0), np.repeat(space.high[None], n, axis=0)
    )


class SyncVectorEnv:
    def __init__(self, env_fns):
        self.envs = [env_fn() for env_fn in env_fns]
        self.num_envs = len(self.envs)
        self.observation_space = batch_space(self.envs[0].observation_space, self.num_envs)
        self.action_space = batch_space(self.envs[0].action_space, self.num_envs)

    def reset(self, seed):
        return np.stack([env.reset(seed=seed + i)[0] for i, env in enumerate(self.envs)])

    def step(self, actions):
        observations, rewards, dones = [], [], []
        for env, action in zip(self.envs, actions, strict=True):
            observation, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                observation, _ = env.reset()
            observations.append(observation)
            rewards.append(reward)
            dones.append(terminated)
        return np.stack(observations), np.array(rewards), np.array(dones)

    def close(self):
        for env in self.envs:
            env.close()
