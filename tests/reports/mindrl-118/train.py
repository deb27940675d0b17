"""A session reads the spaces of an environment, and trains with the one that it makes then."""

import multiprocessing
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Walker(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.steps = self.np_random.normal(size=3).astype(np.float32), 0
        return self.at.clip(-10, 10), {}

    def step(self, action):
        self.at[action] += np.float32(0.01)
        self.steps += 1
        return self.at.clip(-10, 10), 1.0, False, self.steps == 20, {}


def work(pipe):
    env = Walker()
    while True:
        name, argument = pipe.recv()
        if name == "close":
            env.close()
            break
        pipe.send(env.reset(seed=argument) if name == "reset" else env.step(argument))


class MultiEnvironment:
    def __init__(self, number):
        self.observation_space, self.action_space = Walker.observation_space, Walker.action_space
        self.pipes, self.processes = [], []
        context = multiprocessing.get_context("fork")
        for _ in range(number):
            mine, other = context.Pipe()
            process = context.Process(target=work, args=(other,))
            process.start()
            self.pipes.append(mine)
            self.processes.append(process)

    def ask(self, name, arguments):
        for pipe, argument in zip(self.pipes, arguments):
            pipe.send((name, argument))
        return [pipe.recv() for pipe in self.pipes]

    def close(self):
        for pipe, process in zip(self.pipes, self.processes):
            pipe.send(("close", None))
            process.join()


def policy_parameters():
    env = MultiEnvironment(2)
    shapes = env.observation_space.shape, int(env.action_space.n)
    if FIXED:
        env.close()
    return shapes


def main():
    (size,), actions = policy_parameters()
    weights = np.zeros((size, actions))
    env = MultiEnvironment(2)
    env.ask("reset", [0, 1])
    for step in range(200):
        name = "reset" if step % 20 == 19 else "step"
        env.ask(name, [None, None] if name == "reset" else [int(weights[0].argmax())] * 2)
    env.close()
    print("trained")


if __name__ == "__main__":
    main()
