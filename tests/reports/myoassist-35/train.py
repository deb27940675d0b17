"""A worker dies in step() of its simulator after many rollouts; the trainer sees an EOFError."""

import ctypes
import sys

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv


class Walker(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (8,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (3,), np.float32)

    def __init__(self, number):
        self.number, self.steps = number, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 100
        return self.np_random.uniform(-1, 1, 8).astype(np.float32), {}

    def step(self, action):
        self.left -= 1
        self.steps += 1
        if self.number == 2 and self.steps == 700 and not FIXED:
            ctypes.string_at(0)  # the simulator reads freed memory
        return self.np_random.uniform(-1, 1, 8).astype(np.float32), 0.0, self.left == 0, False, {}


def main():
    envs = SubprocVecEnv([lambda number=number: Walker(number) for number in range(4)])
    model = PPO("MlpPolicy", envs, n_steps=128, batch_size=128, n_epochs=1, seed=0, device="cpu")
    model.learn(4 * 128 * 8)
    envs.close()


if __name__ == "__main__":
    main()
