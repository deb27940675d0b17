"""A script that trains where it is run, cell by cell, and that has no guard."""

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv


class Sonic(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (16,), np.uint8)
    action_space = gymnasium.spaces.Discrete(7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0
        return self.observe(), {}

    def observe(self):
        return self.np_random.integers(0, 256, 16).astype(np.uint8)

    def step(self, action):
        self.x += int(action)
        return self.observe(), float(action), self.x > 300, False, {}


def make_env():
    return Monitor(Sonic())


env = SubprocVecEnv([make_env for _ in range(2)], start_method="spawn")
model = PPO("MlpPolicy", env, n_steps=64, device="cpu")
model.learn(total_timesteps=1000)
env.close()
