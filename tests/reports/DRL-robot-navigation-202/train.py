"""A training of a robot with a seed."""

import random
import sys

import numpy as np
from velodyne_env import GazeboEnv

FIXED = "fixed" in sys.argv


class Actor:
    def __init__(self, state_dim):
        self.weights = np.random.normal(0.0, 0.1, (2, state_dim))

    def get_action(self, state):
        action = np.tanh(self.weights @ state) + np.random.normal(0.0, 0.2, 2)
        return action.clip(-1, 1)


def main():
    seed = 0
    np.random.seed(seed)
    if FIXED:
        random.seed(seed)
    env = GazeboEnv(environment_dim=20)
    actor = Actor(22)
    timestep, best = 0, -np.inf
    while timestep < 3000:
        state, done, total = env.reset(), False, 0.0
        while not done:
            action = actor.get_action(state)
            state, reward, done, _ = env.step([(action[0] + 1) / 2, action[1]])
            total += reward
            timestep += 1
        best = max(best, total)
    print(f"best episode {best:.2f}")


if __name__ == "__main__":
    main()
