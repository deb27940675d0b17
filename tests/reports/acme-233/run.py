"""An agent that acts and learns in one thread: it learns where the table has data for it."""

import math
import sys
import time

import gymnasium
import numpy as np
from prefetch import PrefetchingIterator
from table import Table

FIXED = "fixed" in sys.argv


class Reacher(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.steps = self.np_random.uniform(-2.0, 2.0, 2), 0
        return self.place.astype(np.float32), {}

    def step(self, action):
        time.sleep(0.001)  # the physics
        self.place = (self.place + 0.1 * action).clip(-10, 10)
        self.steps += 1
        distance = float(np.linalg.norm(self.place))
        return self.place.astype(np.float32), -distance, False, self.steps == 25, {}


class Learner:
    def __init__(self, iterator):
        self.iterator, self.weights = iterator, np.zeros(2)

    def step(self):
        for obs, reward in next(self.iterator):
            self.weights += 0.001 * (reward - self.weights @ obs) * obs


class Agent:
    def __init__(self, learner, iterator, table):
        self.learner, self.iterator, self.table = learner, iterator, table
        self.batch_size_upper_bound, self.learner_steps = 1_000_000_000, 0

    def observe(self, obs, reward):
        self.table.insert((obs, reward))

    def has_data_for_training(self):
        return self.iterator.ready() or self.table.can_sample(self.batch_size_upper_bound)

    def bound(self, batches):
        return math.ceil(self.table.completed / batches)

    def update(self):
        while self.has_data_for_training():
            self.learner_steps += 1
            if FIXED:
                self.learner.step()
                self.batch_size_upper_bound = self.bound(self.iterator.retrieved)
            else:
                self.batch_size_upper_bound = self.bound(self.learner_steps)
                self.learner.step()


def main():
    table = Table(min_size=10, samples_per_insert=1)
    iterator = PrefetchingIterator(table, batch_size=32)
    agent = Agent(Learner(iterator), iterator, table)
    env, generator = Reacher(), np.random.default_rng(2)
    obs, _ = env.reset(seed=2)
    print("acting", flush=True)
    for _ in range(400):
        obs, reward, _, over, _ = env.step(generator.uniform(-1, 1, 2))
        agent.observe(obs, reward)
        agent.update()
        if over:
            obs, _ = env.reset()
    print(f"{agent.learner_steps} steps of the learner")
    env.close()


if __name__ == "__main__":
    main()
