"""Self-play workers with several games each, whose seeds are multiples of the worker's rank."""

import multiprocessing

import gymnasium
import numpy as np

SEED = 0


class Breakout(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (8,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 25
        return self.look(), {}

    def step(self, action):
        self.left -= 1
        return self.look(), 0.0, self.left == 0, False, {}

    def look(self):
        return self.np_random.random(8, np.float32)


class DataWorker:
    def __init__(self, rank, games):
        self.rank, self.games = rank, games

    def seeds(self):
        return [SEED + self.rank * number for number in range(self.games)]

    def run(self):
        envs = [Breakout() for _ in range(self.games)]
        for env, seed in zip(envs, self.seeds()):
            env.reset(seed=seed)
        for step in range(100):
            for env in envs:
                _, _, over, _, _ = env.step(step % 4)
                if over:
                    env.reset()
        for env in envs:
            env.close()


def main():
    workers = [
        multiprocessing.get_context("fork").Process(target=DataWorker(rank, 4).run)
        for rank in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
