"""Archers fall one by one; those that stand go on."""

import sys

import gymnasium
import numpy as np
from wrappers import AutoResetParallelWrapper, CuredWrapper

FIXED = "fixed" in sys.argv
SHOOT, DODGE = 0, 1


class ArchersZombies:
    """As a parallel environment of PettingZoo: an agent that has fallen is not in agents."""

    metadata = {"name": "archers_zombies_v1", "render_modes": []}
    possible_agents = [f"archer_{number}" for number in range(4)]

    def observation_space(self, agent):
        return gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)

    def action_space(self, agent):
        return gymnasium.spaces.Discrete(2)

    def observe(self):
        return {name: np.array([self.lives[name], self.steps], np.float32) for name in self.agents}

    def reset(self, seed=None, options=None):
        if seed is not None or not hasattr(self, "random"):
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.lives = dict.fromkeys(self.agents, 3)
        self.steps = 0
        return self.observe(), {name: {} for name in self.agents}

    def step(self, actions):
        self.steps += 1
        rewards = {name: float(actions[name] == SHOOT) for name in self.agents}
        for name in self.agents:
            self.lives[name] -= self.random.random() < (0.2 if actions[name] == SHOOT else 0.1)
        observations = self.observe()
        terminations = {name: self.lives[name] == 0 for name in self.agents}
        truncations = dict.fromkeys(self.agents, self.steps == 100)
        infos = {name: {} for name in self.agents}
        ended = [name for name in self.agents if terminations[name] or truncations[name]]
        self.agents = [name for name in self.agents if name not in ended]
        return observations, rewards, terminations, truncations, infos

    def close(self):
        self.agents = []


class Policies:
    def __init__(self, names):
        self.random = np.random.default_rng(7)
        self.boldness = dict.fromkeys(names, 0.5)

    def act(self, observations):
        return {name: int(self.random.random() > self.boldness[name]) for name in observations}

    def learn(self, rewards):
        for name, reward in rewards.items():
            self.boldness[name] = 0.99 * self.boldness[name] + 0.01 * reward


def main():
    wrapper = CuredWrapper if FIXED else AutoResetParallelWrapper
    env = wrapper(ArchersZombies())
    policies = Policies(env.possible_agents)
    observations, _ = env.reset(seed=3)
    for _ in range(2000):
        actions = policies.act({name: observations[name] for name in env.agents})
        observations, rewards, _, _, _ = env.step(actions)
        policies.learn(rewards)
    print({name: round(value, 2) for name, value in policies.boldness.items()})
    env.close()


if __name__ == "__main__":
    main()
