"""The constructor asks in a worker whether it may download assets; the trainer waits."""

import multiprocessing as mp
import os
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Table(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, answers):
        if not FIXED:
            os.read(answers, 1)  # "download the assets? [y/n]"

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), 0.0, self.left == 0, False, {}


def work(remote, answers):
    env = Table(answers)
    remote.send("ready")
    while remote.recv() == "roll out":
        env.reset(seed=0)
        for _ in range(20):
            env.step(0)
        remote.send(1.0)
    env.close()


def main():
    answers, _ = os.pipe()
    remotes = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        mp.Process(target=work, args=(theirs, answers), daemon=True).start()
        remotes.append(ours)
    for remote in remotes:  # init_workers().wait()
        remote.recv()
    for _ in range(50):
        for remote in remotes:
            remote.send("roll out")
        for remote in remotes:
            remote.recv()
    for remote in remotes:
        remote.send("close")


if __name__ == "__main__":
    main()
