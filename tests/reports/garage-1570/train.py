"""A sampler plays several environments in one process, and ends their paths at a length of its own."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Cheetah(gym.Env):
    """It never ends by itself."""

    observation_space = gym.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = self.np_random.normal(size=3).astype(np.float32)
        return self.at.clip(-10, 10), {}

    def step(self, action):
        self.at += np.float32(0.01) * action
        return self.at.clip(-10, 10), float(action[0]), False, False, {}


class VecEnvExecutor:
    def __init__(self, envs, max_path_length):
        self.envs, self.max_path_length = envs, max_path_length
        self.ts = np.zeros(len(envs), dtype=int)

    def reset(self):
        self.ts[:] = 0
        return [env.reset(seed=number)[0] for number, env in enumerate(self.envs)]

    def step(self, actions):
        results = [env.step(action) for env, action in zip(self.envs, actions)]
        observations, rewards, dones, _, _ = map(list, zip(*results))
        dones = np.asarray(dones)
        self.ts += 1
        completes = np.array(dones) if FIXED else np.asarray(dones)
        completes[self.ts >= self.max_path_length] = True
        for i, complete in enumerate(completes):
            if complete:
                observations[i], _ = self.envs[i].reset()
                self.ts[i] = 0
        return observations, rewards, dones, completes

    def close(self):
        for env in self.envs:
            env.close()


def main():
    sampler = VecEnvExecutor([Cheetah() for _ in range(4)], max_path_length=25)
    random = np.random.default_rng(0)
    values, observations = np.zeros(3), sampler.reset()
    for _ in range(500):
        actions = random.uniform(-1, 1, (4, 1)).astype(np.float32)
        following, rewards, dones, _ = sampler.step(actions)
        for before, reward, after, done in zip(observations, rewards, following, dones):
            target = reward + 0.99 * (1 - done) * (values @ after)
            values += 1e-3 * (target - values @ before) * before
        observations = following
    sampler.close()


if __name__ == "__main__":
    main()
