"""The training raises, and Python waits at its end for workers that wait for orders."""

import multiprocessing as mp
import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


def work(remote, other_end):
    other_end.close()
    env = gym.make("CartPole-v1")
    try:
        while True:
            order, value = remote.recv()
            if order == "reset":
                remote.send(env.reset(seed=value))
            elif order == "step":
                remote.send(env.step(value))
            else:
                break
    except KeyboardInterrupt:
        pass
    env.close()


class VectorEnv:
    def __init__(self, count):
        self.workers = []
        for _ in range(count):
            ours, theirs = mp.Pipe()
            process = mp.Process(target=work, args=(theirs, ours))
            process.start()
            theirs.close()
            self.workers.append((process, ours))

    def _ask(self, order, values):
        for (_, remote), value in zip(self.workers, values):
            remote.send((order, value))
        return [remote.recv() for _, remote in self.workers]

    def reset(self):
        return self._ask("reset", range(len(self.workers)))

    def step(self, actions):
        return self._ask("step", actions)

    def close(self):
        for process, remote in self.workers:
            remote.send(("close", None))
            process.join()


def train(envs):
    envs.reset()
    for _ in range(8):
        envs.step([0, 1, 0])
    raise ValueError("expected parameter loc to satisfy the constraint Real()")


def main():
    envs = VectorEnv(3)
    try:
        train(envs)
    finally:
        if FIXED:
            envs.close()


if __name__ == "__main__":
    main()
