"""A model for each seed, with a replay buffer; what the last one held is freed soon enough."""

import gc
import sys

from stable_baselines3 import DQN

FIXED = "fixed" in sys.argv


def run(seed):
    model = DQN(
        "MlpPolicy", "CartPole-v1", buffer_size=100_000, learning_starts=50, seed=seed, device="cpu"
    )
    model.learn(200)
    model.env.close()


def main():
    for seed in range(40):
        run(seed)
        if FIXED:
            gc.collect()


if __name__ == "__main__":
    main()
