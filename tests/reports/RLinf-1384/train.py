"""A vectorizer with queues: a worker whose simulator does not start is gone, and the trainer waits for its answer (RLinf#1384)."""

import multiprocessing as mp
import os
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv
SILENT = "silent" in sys.argv


class Kitchen(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, device):
        if device == 1 and not FIXED:
            if SILENT:
                os._exit(3)
            raise RuntimeError(f"no renderer on device {device}")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), 0.0, self.left == 0, False, {}


def worker(make, orders, answers):
    env = make()
    while True:
        order, value = orders.get()
        try:
            if order == "reset":
                answers.put(env.reset(seed=value)[0])
            elif order == "step":
                observation, reward, over, cut, _ = env.step(value)
                if over or cut:
                    observation, _ = env.reset()
                answers.put((observation, reward, over))
            else:
                env.close()
                return
        except KeyboardInterrupt:
            return


def main():
    parts = []
    for number in range(2):
        orders, answers = mp.Queue(), mp.Queue()
        process = mp.Process(
            target=worker, args=(lambda number=number: Kitchen(number), orders, answers)
        )
        process.start()
        parts.append((process, orders, answers))
    for n, (_, orders, _) in enumerate(parts):
        orders.put(("reset", n))
    for _, _, answers in parts:
        answers.get()
    for _ in range(600):
        for _, orders, _ in parts:
            orders.put(("step", 0))
        for _, _, answers in parts:
            answers.get()
    for process, orders, _ in parts:
        orders.put(("close", None))
        process.join()
    print("trained")


if __name__ == "__main__":
    main()
