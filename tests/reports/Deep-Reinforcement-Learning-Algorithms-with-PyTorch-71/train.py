"""The agent seeds the environment with one number before each reset(), by the API of old Gym."""

import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
SEED, EPISODES, BITS = 1, 60, 10


class BitFlipping(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2 * BITS,), np.float32)
    action_space = gymnasium.spaces.Discrete(BITS)

    def seed(self, seed=None):
        self.generator = np.random.default_rng(seed)
        return [seed]

    def reset(self):
        self.left = BITS
        self.bits = self.generator.integers(0, 2, 2 * BITS).astype(np.float32)
        return self.bits.copy()

    def step(self, action):
        self.left -= 1
        self.bits[action] = 1 - self.bits[action]
        return self.bits.copy(), -1.0, self.left == 0, {}


class Agent:
    def __init__(self, environment):
        self.environment = environment
        self.environment.seed(SEED)

    def reset_game(self):
        if not FIXED:
            self.environment.seed(SEED)
        self.state = self.environment.reset()

    def run(self):
        for _ in range(EPISODES):
            self.reset_game()
            over, step = False, 0
            while not over:
                self.state, _, over, _ = self.environment.step(step % BITS)
                step += 1


if __name__ == "__main__":
    agent = Agent(BitFlipping())
    agent.run()
    agent.environment.close()
