"""The worker of the vectorizer keeps the observations of all steps, where there are several."""

import multiprocessing as mp
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Pong(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (16, 16, 1), np.uint8)
    action_space = gym.spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 90
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 0.0, self.left == 0, False, {}

    def _look(self):
        return self.np_random.integers(0, 255, (16, 16, 1)).astype(np.uint8)


class Worker:
    """The process's side: it keeps what it sent, to stack frames."""

    def __init__(self, env):
        self.env, self.sent = env, []

    def answer(self, order, value):
        if order == "reset":
            observation = self.env.reset(seed=value)[0]
            result = observation
        else:
            observation, reward, over, _, _ = self.env.step(value)
            if over:
                observation = self.env.reset()[0]
            result = observation, reward, over
        self.sent.append(observation)
        if FIXED:
            del self.sent[:-4]
        return result


def work(remote):
    worker = Worker(Pong())
    while True:
        order, value = remote.recv()
        if order == "close":
            worker.env.close()
            return
        remote.send(worker.answer(order, value))


def main():
    remotes, processes = [], []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        processes.append(mp.Process(target=work, args=(theirs,), daemon=True))
        processes[-1].start()
        remotes.append(ours)
    for number, remote in enumerate(remotes):
        remote.send(("reset", number))
        remote.recv()
    for number in range(60_000):
        for remote in remotes:
            remote.send(("step", number % 6))
        for remote in remotes:
            remote.recv()
    for remote, process in zip(remotes, processes):
        remote.send(("close", None))
        process.join()


if __name__ == "__main__":
    main()
