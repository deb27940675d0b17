"""Healthy: the vectorizer resets by itself what has ended, and the script does not."""

import sys

import gymnasium as gym
import numpy as np

QUIET = "quiet" in sys.argv


def make(number):
    def thunk():
        env = gym.make("CartPole-v1")
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(number)
        return env

    return thunk


def main():
    envs = gym.vector.SyncVectorEnv([make(number) for number in range(1 if QUIET else 4)])
    observations, _ = envs.reset(seed=1)
    buffer = np.zeros((2000, *observations.shape), np.float32)
    for step in range(240_000 if QUIET else 60_000):
        observations, *_ = envs.step(envs.action_space.sample())
        buffer[step % 2000] = observations
    envs.close()


if __name__ == "__main__":
    main()
