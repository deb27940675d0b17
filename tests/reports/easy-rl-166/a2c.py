"""A notebook as a script: all of it runs where it is imported."""

import functools

import gymnasium
import numpy as np
from multiprocessing_env import SubprocVecEnv

N_ENVS, N_STEPS, MAX_STEPS = 4, 5, 2000


def train(envs):
    weights, draw = np.zeros((4, 2)), np.random.default_rng(0)
    state, step = envs.reset(), 0
    while step < MAX_STEPS:
        for _ in range(N_STEPS):
            noise = draw.normal(0, 1, (N_ENVS, 2))
            state, reward, _, _ = envs.step(np.argmax(state @ weights + noise, axis=1))
            weights += 0.01 * state.T @ np.stack([reward, -reward], axis=1)
            step += 1
    return weights


print("Start training!")
envs = SubprocVecEnv([functools.partial(gymnasium.make, "CartPole-v1") for _ in range(N_ENVS)])
train(envs)
envs.close()
print("Finish training!")
