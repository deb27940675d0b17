"""Environments with an OpenGL context are made in the trainer and handed to forked workers."""

import ctypes
import multiprocessing
import os

import gymnasium
import numpy as np


class Context:
    """It belongs to the process that made it; in another one, the driver reads what is not there."""

    def __init__(self):
        self.process = os.getpid()

    def draw(self, size):
        if os.getpid() != self.process:
            ctypes.string_at(0)
        return np.zeros(size, np.uint8)


class Hallway(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (15, 20, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.context = Context()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.context.draw((15, 20, 3)), {}

    def step(self, action):
        self.steps += 1
        return self.context.draw((15, 20, 3)), 0.0, False, self.steps == 25, {}


def worker(pipe, env):
    while True:
        order, value = pipe.recv()
        if order == "reset":
            pipe.send(env.reset(seed=value)[0])
        elif order == "step":
            pipe.send(env.step(value))
        else:
            env.close()
            return


class ParallelEnv:
    def __init__(self, envs):
        context = multiprocessing.get_context("fork")
        self.env = envs[0]
        self.pipes, self.processes = [], []
        for env in envs[1:]:
            local, remote = context.Pipe()
            process = context.Process(target=worker, args=(remote, env), daemon=True)
            process.start()
            remote.close()
            self.pipes.append(local)
            self.processes.append(process)

    def reset(self):
        for number, pipe in enumerate(self.pipes, 1):
            pipe.send(("reset", number))
        return [self.env.reset(seed=0)[0]] + [pipe.recv() for pipe in self.pipes]

    def step(self, action):
        for pipe in self.pipes:
            pipe.send(("step", action))
        return [self.env.step(action)] + [pipe.recv() for pipe in self.pipes]

    def close(self):
        self.env.close()
        for pipe, process in zip(self.pipes, self.processes):
            pipe.send(("close", None))
            process.join()


def main():
    envs = []
    for _ in range(3):
        envs.append(Hallway())
    parallel = ParallelEnv(envs)
    parallel.reset()
    for step in range(25):
        parallel.step(step % 3)
    parallel.close()


if __name__ == "__main__":
    main()
