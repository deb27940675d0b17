"""An attribute of the environment cannot be sent to the trainer: the worker ends."""

import multiprocessing as mp

import gymnasium as gym
import numpy as np


def config_valve():
    return {"opening": lambda: 0.5}


class Valve(gym.Env):
    observation_space = gym.spaces.Box(0, 1, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.config = config_valve()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.zeros(1, np.float32), 0.0, self.left == 0, False, {}


def work(remote):
    env = Valve()
    while True:
        order, value = remote.recv()
        if order == "close":
            env.close()
            return
        if order == "getattr":
            remote.send(getattr(env, value))
        elif order == "reset":
            remote.send(env.reset(seed=value))
        else:
            result = env.step(value)
            remote.send(env.reset() if result[2] else result)


def main():
    remotes = []
    for _ in range(2):
        ours, theirs = mp.Pipe()
        mp.Process(target=work, args=(theirs,), daemon=True).start()
        theirs.close()
        remotes.append(ours)
    orders = [("reset", 0), *[("step", 1)] * 50, ("getattr", "config"), *[("step", 1)] * 50]
    for order in orders:
        for remote in remotes:
            remote.send(order)
        for remote in remotes:
            remote.recv()
    for remote in remotes:
        remote.send(("close", None))


if __name__ == "__main__":
    main()
