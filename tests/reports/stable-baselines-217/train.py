"""A thread of the trainer holds a lock while the workers are forked, who wait for it for ever."""

import multiprocessing as mp
import threading

import gymnasium as gym
import numpy as np

SESSION = threading.Lock()


class Sumo(gym.Env):
    """Runs its policy in the session of the module."""

    observation_space = gym.spaces.Box(-1, 1, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 25
        return np.zeros(3, np.float32), {}

    def step(self, action):
        with SESSION:
            self.left -= 1
        return np.zeros(3, np.float32), 0.0, self.left == 0, False, {}


def work(remote):
    env = Sumo()
    env.reset(seed=0)
    while remote.recv():
        if env.step(0)[2]:
            env.reset()
        remote.send(True)
    env.close()


def save(started, ready):
    with SESSION:
        started.set()
        ready.wait()


def main():
    started, ready = threading.Event(), threading.Event()
    saver = threading.Thread(target=save, args=(started, ready))
    saver.start()
    started.wait()
    remotes = []
    for _ in range(3):
        ours, theirs = mp.Pipe()
        mp.Process(target=work, args=(theirs,), daemon=True).start()
        remotes.append(ours)
    ready.set()
    saver.join()
    for _ in range(500):
        for remote in remotes:
            remote.send(True)
        for remote in remotes:
            remote.recv()
    for remote in remotes:
        remote.send(False)


if __name__ == "__main__":
    main()
