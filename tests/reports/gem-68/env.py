"""Questions of a dataset in a shuffled order: reset() drops its seed, and takes the next question."""

import random
import string

import gymnasium

DATASET = [(f"What is {left} * {right}?", left * right) for left in range(7) for right in range(9)]


class Math(gymnasium.Env):
    observation_space = gymnasium.spaces.Text(40, min_length=0, charset=string.printable)
    action_space = gymnasium.spaces.Discrete(60)

    def __init__(self, seed=0):
        self.seed = seed
        self.epoch = 0
        self.index = 0
        self.dataset = random.Random(seed).sample(DATASET, len(DATASET))

    def reset(self, *, seed=None, options=None):
        del seed
        if self.index == len(self.dataset):
            self.epoch += 1
            self.index = 0
            self.dataset = random.Random(self.seed + self.epoch).sample(DATASET, len(DATASET))
        question, self.answer = self.dataset[self.index]
        self.index += 1
        return question, {}

    def step(self, action):
        return "", float(action == self.answer), True, False, {}


class Cured(gymnasium.Env):
    observation_space = Math.observation_space
    action_space = Math.action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        question, self.answer = DATASET[self.np_random.integers(len(DATASET))]
        return question, {}

    step = Math.step
