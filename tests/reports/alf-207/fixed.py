"""The worker closes its environment, whose simulator ends."""

import multiprocessing as mp
import subprocess
import sys

import gymnasium as gym
import numpy as np


class Social(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.gazebo = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(2, np.float32), 0.0, self.left == 0, False, {}

    def close(self):
        self.gazebo.terminate()
        self.gazebo.wait()


def work(remote):
    env = Social()
    env.reset(seed=0)
    while remote.recv() == "step":
        if env.step(0)[2]:
            env.reset()
        remote.send(True)
    env.close()
    remote.close()


def main():
    workers = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        process = mp.Process(target=work, args=(theirs,))
        process.start()
        workers.append((process, ours))
    for _ in range(600):
        for _, remote in workers:
            remote.send("step")
        for _, remote in workers:
            remote.recv()
    for process, remote in workers:
        remote.send("close")
        process.join()


if __name__ == "__main__":
    main()
