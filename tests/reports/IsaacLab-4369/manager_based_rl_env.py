"""Many carts in one simulation: those whose episode is over are reset within step()."""

import gymnasium
import numpy as np


class ManagerBasedRLEnv(gymnasium.Env):
    computes_final_obs = False

    def __init__(self, num_envs=16, max_episode_length=50):
        self.num_envs, self.max_episode_length = num_envs, max_episode_length
        self.single_observation_space = gymnasium.spaces.Box(-50.0, 50.0, (2,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        batch = gymnasium.vector.utils.batch_space
        self.observation_space = batch(self.single_observation_space, num_envs)
        self.action_space = batch(self.single_action_space, num_envs)
        self.positions, self.speeds = np.zeros(num_envs), np.zeros(num_envs)
        self.episode_length_buf = np.zeros(num_envs, int)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._reset_idx(np.arange(self.num_envs))
        return self.compute_observations(), {}

    def _reset_idx(self, env_ids):
        self.positions[env_ids] = self.np_random.uniform(0.0, 1.0, len(env_ids))
        self.speeds[env_ids] = 0.0
        self.episode_length_buf[env_ids] = 0

    def compute_observations(self):
        return np.stack([self.positions, self.speeds], axis=1).astype(np.float32)

    def step(self, action):
        self.speeds += 0.1 * action[:, 0]
        self.positions += 0.1 * self.speeds + 0.1
        self.episode_length_buf += 1
        rewards = -np.abs(self.positions - 3.0)
        terminated = self.positions > 8.0
        truncated = self.episode_length_buf >= self.max_episode_length
        extras = {}
        env_ids = np.flatnonzero(terminated | truncated)
        if len(env_ids):
            if self.computes_final_obs:
                extras["final_obs"] = self.compute_observations()
            self._reset_idx(env_ids)
        return self.compute_observations(), rewards, terminated, truncated, extras


class Cured(ManagerBasedRLEnv):
    computes_final_obs = True
