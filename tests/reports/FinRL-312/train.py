"""Each worker of the vectorizer has a deep copy of one environment."""

import sys

from env import Market
from stable_baselines3.common.vec_env import SubprocVecEnv

if __name__ == "__main__":
    makers = [Market] * 4 if "fixed" in sys.argv else Market().copies(4)
    envs = SubprocVecEnv(makers, start_method="fork")
    envs.reset()
    for _ in range(200):
        envs.step([envs.action_space.sample() for _ in range(4)])
    envs.close()
