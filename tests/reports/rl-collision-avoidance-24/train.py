"""Workers meet after some steps, and each ends when it has played its episodes."""

import multiprocessing
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
WORKERS, EPISODES, HORIZON, UPDATES = 3, 20, 32, 10


class StageWorld(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 6.0, (16,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def __init__(self, number):
        self.number = number

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = int(self.np_random.integers(5, 12)) * (self.number + 1)
        return self.scan(), {}

    def scan(self):
        return self.np_random.uniform(0.0, 6.0, 16).astype(np.float32)

    def step(self, action):
        self.left -= 1
        return self.scan(), 0.0, self.left == 0, False, {}


def run(number, gather):
    env = StageWorld(number)
    env.reset(seed=number)
    episode = steps = 0
    while steps < UPDATES * HORIZON if FIXED else episode < EPISODES:
        _, _, over, _, _ = env.step(steps % 5)
        steps += 1
        if over:
            episode += 1
            env.reset()
        if steps % HORIZON == 0:
            gather.wait()
    env.close()


def main():
    context = multiprocessing.get_context("fork")
    gather = context.Barrier(WORKERS)
    workers = [context.Process(target=run, args=(number, gather)) for number in range(WORKERS)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
