"""A batch of environments is kept in a list, and a pool of processes steps them to be faster."""

import multiprocessing

import numpy as np
from substrate import Substrate

BATCH = 8


def step(env, action):
    return env.step(action)


def main():
    envs = [Substrate() for _ in range(BATCH)]
    for number, env in enumerate(envs):
        env.reset(seed=number)
    draw = np.random.default_rng(0)
    with multiprocessing.Pool(4) as pool:
        for _ in range(300):
            actions = draw.integers(0, 4, BATCH)
            results = pool.starmap(step, zip(envs, actions))
            for env, (_, _, terminated, truncated, _) in zip(envs, results):
                if terminated or truncated:
                    env.reset()
    for env in envs:
        env.close()


if __name__ == "__main__":
    main()
