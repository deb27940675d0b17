"""Q-learning of a defender."""

import gymnasium as gym
import numpy as np


def train(episodes):
    env = gym.make("idsgame-maximal_attack-v3")
    values, generator = np.zeros(4), np.random.default_rng(0)
    for episode in range(episodes):
        env.reset(seed=episode)
        over = False
        while not over:
            action = int(values.argmax() if generator.random() > 0.2 else generator.integers(4))
            _, reward, lost, truncated, _ = env.step(action)
            values[action] += 0.1 * (reward - values[action])
            over = lost or truncated
    env.close()
    print(f"values: {values.round(2)}")


if __name__ == "__main__":
    train(100)
