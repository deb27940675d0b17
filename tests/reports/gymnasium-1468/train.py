"""The trainer hands the same seed to every reset(): it trains on one episode (Gymnasium#1468)."""

import sys

import gymnasium as gym

FIXED = "fixed" in sys.argv


def main():
    for seed in (1, 2, 3):
        env = gym.make("CartPole-v1")
        for episode in range(150):
            if FIXED:
                env.reset(seed=seed if episode == 0 else None)
            else:
                env.reset(seed=seed)
            over = False
            while not over:
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                over = terminated or truncated
        env.close()


if __name__ == "__main__":
    main()
