"""Environments in processes of their own, which are forked and seeded by their number."""

import multiprocessing

import numpy as np


def worker(pipe, make):
    env = make()
    pipe.send((env.observation_space, env.action_space))
    seed = None
    while True:
        name, value = pipe.recv()
        if name == "seed":
            seed = value
            pipe.send(None)
        elif name == "reset":
            pipe.send(env.reset(seed=seed)[0])
            seed = None
        elif name == "step":
            observation, reward, terminated, truncated, _ = env.step(value)
            if terminated or truncated:
                observation, _ = env.reset()
            pipe.send((observation, reward, terminated or truncated))
        else:
            env.close()
            break


class ProcessEnvironment:
    def __init__(self, make):
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=worker, args=(theirs, make), daemon=True)
        self.process.start()
        self.spaces = self.pipe.recv()

    def call(self, name, value=None):
        self.pipe.send((name, value))
        return self.pipe.recv

    def close(self):
        self.pipe.send(("close", None))
        self.process.join()


class ParallelEnvironment:
    def __init__(self, makers):
        self.envs = [ProcessEnvironment(make) for make in makers]
        self.observation_space, self.action_space = self.envs[0].spaces

    def all(self, name, values):
        promises = [env.call(name, value) for env, value in zip(self.envs, values)]
        return [promise() for promise in promises]

    def seed(self, seeds):
        self.all("seed", seeds)

    def reset(self):
        return np.stack(self.all("reset", [None] * len(self.envs)))

    def step(self, actions):
        observations, rewards, over = zip(*self.all("step", actions))
        return np.stack(observations), np.array(rewards), np.array(over)

    def close(self):
        for env in self.envs:
            env.close()
