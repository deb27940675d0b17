"""The trainer ends its workers when their environments are closed, which takes a while."""

import multiprocessing as mp
import time

import gymnasium as gym
import numpy as np


class Remote(gym.Env):
    """close() asks a service to free what it holds."""

    observation_space = gym.spaces.Discrete(100)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return 0, {}

    def step(self, action):
        self.count += 1
        return self.count, 1.0, self.count == 20, False, {}

    def close(self):
        time.sleep(2.0)


def work(remote):
    envs = [Remote() for _ in range(4)]
    for number, env in enumerate(envs):
        env.reset(seed=number)
    while remote.recv() == "sample":
        for env in envs:
            if env.step(1)[2]:
                env.reset()
        remote.send(np.zeros(4))
    for env in envs:
        env.close()
    remote.send("closed")


def main():
    workers = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        process = mp.Process(target=work, args=(theirs,), daemon=True)
        process.start()
        workers.append((process, ours))
    for _ in range(500):
        for _, remote in workers:
            remote.send("sample")
        for _, remote in workers:
            remote.recv()
    for _, remote in workers:
        remote.send("stop")
    for _, remote in workers:
        remote.recv()
    for process, _ in workers:
        process.terminate()
        process.join()


if __name__ == "__main__":
    main()
