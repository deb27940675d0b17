"""Each worker makes an environment of its own."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv


class Trading(gym.Env):
    observation_space = gym.spaces.Box(-10, 10, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self):
        self.generator = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 40
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 0.0, self.left == 0, False, {}

    def _look(self):
        return self.generator.normal(size=3).clip(-10, 10).astype(np.float32)


def main():
    makes = [Trading] * 4
    envs = SubprocVecEnv(makes, start_method="fork")
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=64, n_epochs=1, device="cpu")
    model.learn(4 * 64 * 4)
    envs.close()


if __name__ == "__main__":
    main()
