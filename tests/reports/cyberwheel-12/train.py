"""The functions that make environments are made by a method of the trainer, and take it along."""

import functools
import sys
import threading

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv


class Network(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (10,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.look(), {}

    def step(self, action):
        self.steps += 1
        return self.look(), 0.0, False, self.steps == 20, {}

    def look(self):
        return self.np_random.random(10, np.float32)


def make_env(sizes):
    env = Network()
    sizes.append(env.action_space.n)
    return env


class Writer:
    """Writes metrics in a thread, as that of TensorBoard."""

    def __init__(self):
        self.lock = threading.Lock()
        self.lines = []

    def add(self, line):
        with self.lock:
            self.lines.append(line)


class Trainer:
    def __init__(self):
        self.writer = Writer()
        self.max_action_space_size = 0

    def make_env(self, number):
        def thunk():
            env = Network()
            self.max_action_space_size = max(self.max_action_space_size, int(env.action_space.n))
            return env

        return thunk

    def configure(self):
        functions = [functools.partial(make_env, []) for _ in range(2)]
        if not FIXED:
            functions = [self.make_env(number) for number in range(2)]
        self.envs = gymnasium.vector.AsyncVectorEnv(functions, context="spawn")

    def train(self):
        self.envs.reset(seed=0)
        for _ in range(20):
            self.envs.step(self.envs.action_space.sample())
            self.writer.add("step")
        self.envs.close()


if __name__ == "__main__":
    trainer = Trainer()
    trainer.configure()
    trainer.train()
