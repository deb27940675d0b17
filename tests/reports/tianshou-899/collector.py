"""Collects a number of episodes, or of steps, of several environments."""

import numpy as np


class DummyVectorEnv:
    def __init__(self, env_fns):
        self.workers = [env_fn() for env_fn in env_fns]

    def __len__(self):
        return len(self.workers)

    def reset(self, ids=None):
        ids = range(len(self)) if ids is None else ids
        return np.stack([self.workers[number].reset()[0] for number in ids])

    def step(self, actions, ids):
        results = [self.workers[i].step(a) for i, a in zip(ids, actions, strict=True)]
        obs, rew, terminated, truncated, _ = zip(*results, strict=True)
        return np.stack(obs), np.array(rew), np.array(terminated) | np.array(truncated)

    def close(self):
        for worker in self.workers:
            worker.close()


class Collector:
    resets_after_collect = True

    def __init__(self, policy, env):
        self.policy, self.env = policy, env
        self.reset_env()

    def reset_env(self):
        self.obs = self.env.reset()

    def collect(self, n_episode):
        ready_env_ids = np.arange(len(self.env))
        buffer, episode_count = [], 0
        while episode_count < n_episode:
            act = self.policy(self.obs[ready_env_ids])
            obs_next, rew, done = self.env.step(act, ready_env_ids)
            buffer.extend(zip(self.obs[ready_env_ids], act, rew, done, strict=True))
            self.obs[ready_env_ids] = obs_next
            if done.any():
                env_ind_global = ready_env_ids[done]
                episode_count += len(env_ind_global)
                self.obs[env_ind_global] = self.env.reset(env_ind_global)
                surplus_env_num = len(ready_env_ids) - (n_episode - episode_count)
                if surplus_env_num > 0:
                    mask = ~np.isin(ready_env_ids, env_ind_global[:surplus_env_num])
                    ready_env_ids = ready_env_ids[mask]
        if self.resets_after_collect:
            self.reset_env()
        return buffer
