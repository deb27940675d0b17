"""A pool of environments, played by the threads that are free."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from env import Cured, WalkerWalk

ENVS, STEPS = 12, 1200


def main():
    cls = Cured if "fixed" in sys.argv else WalkerWalk
    envs = [cls() for _ in range(ENVS)]
    action = np.array([0.1], np.float32)

    def play(env):
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    with ThreadPoolExecutor(1) as first:  # the renderers are made in the order of the environments
        list(first.map(lambda env: env.reset(seed=envs.index(env)), envs))
    print("reset is done", flush=True)
    with ThreadPoolExecutor(2) as workers:
        for step in range(STEPS):
            list(workers.map(play, envs))
    for env in envs:
        env.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
