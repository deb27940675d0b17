"""reset() asks a service that refuses in the second trial; the trainer sees a broken pipe."""

import sys
import urllib.error

import gymnasium as gym
import numpy as np
from stable_baselines3 import SAC
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

FIXED = "fixed" in sys.argv


class Building(gym.Env):
    """A client of a simulation service, which serves as many test cases as it has workers."""

    observation_space = gym.spaces.Box(280, 310, (3,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self, trial=0):
        self.trial = trial

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.trial == 1 and not FIXED:
            raise urllib.error.HTTPError(
                "http://127.0.0.1/initialize", 500, "no free worker", {}, None
            )
        self.left = 48
        return np.full(3, 293, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.full(3, 293, np.float32), 0.0, False, self.left == 0, {}


def objective(trial):
    envs = make_vec_env(
        Building,
        2,
        env_kwargs={"trial": trial},
        vec_env_cls=SubprocVecEnv,
        vec_env_kwargs={"start_method": "fork"},
    )
    model = SAC(
        "MlpPolicy", envs, learning_starts=150, train_freq=50, gradient_steps=1, device="cpu"
    )
    model.learn(300)
    envs.close()


def main():
    for trial in range(3):
        objective(trial)


if __name__ == "__main__":
    main()
