"""A worker is killed for its memory; a thread of the trainer sees a ConnectionResetError."""

import multiprocessing as mp
import os
import signal
import sys
import threading

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Plant(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, number):
        self.number, self.steps = number, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        self.steps += 1
        if self.number == 1 and self.steps == 1200 and not FIXED:
            os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does where memory is exhausted
        return np.zeros(2, np.float32), 0.0, self.left == 0, False, {}


def work(remote, number):
    env = Plant(number)
    while True:
        order, value = remote.recv()
        if order == "close":
            env.close()
            return
        remote.send(env.reset(seed=value) if order == "reset" else env.step(value))


class Runner:
    def __init__(self, count):
        self.remotes, self.results = [], [None] * count
        for number in range(count):
            ours, theirs = mp.Pipe()
            mp.Process(target=work, args=(theirs, number), daemon=True).start()
            theirs.close()
            self.remotes.append(ours)

    def _finish(self, number):
        self.results[number] = self.remotes[number].recv()

    def ask(self, order, value):
        threads = []
        for number, remote in enumerate(self.remotes):
            remote.send((order, value))
            threads.append(threading.Thread(target=self._finish, args=(number,)))
            threads[-1].start()
        for thread in threads:
            thread.join()


def main():
    runner = Runner(3)
    for episode in range(40):
        runner.ask("reset", episode)
        for _ in range(50):
            runner.ask("step", 1)
    for remote in runner.remotes:
        remote.send(("close", None))


if __name__ == "__main__":
    main()
