"""An environment, and a vectorizer that spawns a worker for each."""

import multiprocessing

import gymnasium
import numpy as np


class Pole(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def observe(self):
        return self.np_random.uniform(-1.0, 1.0, 4).astype(np.float32)

    def step(self, action):
        self.steps += 1
        return self.observe(), 1.0, self.steps == 50, False, {}


def work(make, pipe):
    env = make()
    pipe.send(env.observation_space)
    while (order := pipe.recv()) != "close":
        if order == "reset":
            pipe.send(env.reset()[0])
        else:
            observation, reward, terminated, _, _ = env.step(order)
            pipe.send((env.reset()[0] if terminated else observation, reward, terminated))
    env.close()


class AsyncVectorEnv:
    def __init__(self, makers):
        context = multiprocessing.get_context("spawn")
        pairs = [context.Pipe() for _ in makers]
        self.pipes = [mine for mine, _ in pairs]
        # Windows keeps a duplicate of the worker's end open until the worker has taken it.
        self.duplicates = [its for _, its in pairs]
        self.workers = [
            context.Process(target=work, args=(make, its), daemon=True)
            for make, its in zip(makers, self.duplicates)
        ]
        for worker in self.workers:
            worker.start()
        self.spaces = [pipe.recv() for pipe in self.pipes]

    def ask(self, orders):
        for pipe, order in zip(self.pipes, orders):
            pipe.send(order)
        return [pipe.recv() for pipe in self.pipes]

    def reset(self):
        return self.ask(["reset"] * len(self.pipes))

    def step(self, actions):
        return self.ask(actions)

    def close(self):
        for pipe, worker in zip(self.pipes, self.workers):
            pipe.send("close")
            worker.join()
