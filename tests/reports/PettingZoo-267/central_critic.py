"""A trainer whose critic sees what all walkers see."""

import sys

import multiwalker
import numpy as np
from pettingzoo_env import ParallelPettingZooEnv, PettingZooEnv

FIXED = "fixed" in sys.argv


class CentralCritic:
    def __init__(self):
        self.weights = np.zeros(9)

    def value(self, observations):
        joined = np.concatenate([observations[agent] for agent in multiwalker.AGENTS])
        return float(joined @ self.weights), joined

    def learn(self, joined, error):
        self.weights += 0.01 * error * joined


def rollout(env, critic, generator):
    observations, done, total = env.reset(), False, 0.0
    while not done:
        value, joined = critic.value(observations)
        actions = {agent: generator.uniform(-1.0, 1.0, 2) for agent in observations}
        observations, rewards, dones, _ = env.step(actions)
        total += sum(rewards.values())
        critic.learn(joined, sum(rewards.values()) - value)
        done = dones["__all__"]
    return total


def main():
    if FIXED:
        env = ParallelPettingZooEnv(multiwalker.ParallelEnv())
    else:
        env = PettingZooEnv(multiwalker.TurnEnv())
    critic, generator = CentralCritic(), np.random.default_rng(1)
    for iteration in range(20):
        print(f"iteration {iteration}: {rollout(env, critic, generator):.2f}")
    env.close()


if __name__ == "__main__":
    main()
