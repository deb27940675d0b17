"""Traders at an exchange: each bids and asks, all of them at once."""

import sys

import numpy as np
from multi_agent_env import MultiAgentEnv, RolloutWorker

FIXED = "fixed" in sys.argv


class DoubleAuctionEnv(MultiAgentEnv):
    def __init__(self, num_of_agents):
        super().__init__()
        self.num_of_agents = num_of_agents
        self.generator = np.random.default_rng(3)
        if FIXED:
            self._agent_ids = set(range(num_of_agents))

    def reset(self):
        self.price, self.t_step = 100.0, 0
        return self.set_states()

    def set_states(self):
        book = self.price + self.generator.normal(size=4)
        return {agent: book.astype(np.float32) for agent in range(self.num_of_agents)}

    def step(self, actions):
        before = self.price
        self.price += 0.1 * sum(actions.values()) + self.generator.normal()
        self.t_step += 1
        rewards = {agent: size * (self.price - before) for agent, size in actions.items()}
        return self.set_states(), rewards, {"__all__": self.t_step == 50}, {}

    def close(self):
        pass


def main():
    generator = np.random.default_rng(1)
    worker = RolloutWorker(lambda config: DoubleAuctionEnv(**config), {"num_of_agents": 9})
    for iteration in range(20):
        total = worker.sample(lambda obs: float(generator.integers(-1, 2)))
        print(f"iteration {iteration}: {total:.2f}")
    worker.stop()


if __name__ == "__main__":
    main()
