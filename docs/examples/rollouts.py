"""For the tutorial on replay memory: an iteration of a loop that keeps all its rollouts."""

import gymnasium as gym
import numpy as np

HISTORY = []
ENV = gym.make("CartPole-v1")


def rollout():
    observation, _ = ENV.reset(seed=0)
    steps = [observation]
    for _ in range(5):
        observation, *_ = ENV.step(0)
        steps.append(observation)
    return np.stack(steps)


def iteration():
    HISTORY.append(rollout())


def cured():
    HISTORY[:] = [rollout()]
