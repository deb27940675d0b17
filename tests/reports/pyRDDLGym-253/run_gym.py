"""Evaluates an agent, and prints the mean and the deviation of its returns."""

import sys

import numpy as np
from env import RDDLEnv

FIXED = "fixed" in sys.argv


class NoisyAgent:
    """Releases what is above the middle, and a little of its own."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def sample_action(self, state):
        release = 0.2 * (state[0] - 50.0) + 5.0 + self.rng.normal(0.0, 0.5)
        return np.array([np.clip(release, 0.0, 10.0)], np.float32)

    def evaluate(self, env, episodes, seed=None):
        history = np.zeros(episodes)
        for episode in range(episodes):
            state, _ = env.reset(seed=seed)
            for _ in range(env.horizon):
                state, reward, terminated, truncated, _ = env.step(self.sample_action(state))
                history[episode] += reward
                if terminated or truncated:
                    break
            if FIXED:
                seed = None  # the seed on the first episode only
        return {"mean": history.mean(), "std": history.std()}


if __name__ == "__main__":
    env = RDDLEnv()
    print(NoisyAgent(seed=42).evaluate(env, episodes=60, seed=42))
    env.close()
