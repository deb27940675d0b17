"""A training with a seed, on a pool of environments."""

import argparse
import random

import envpool
import numpy as np


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--num-envs", type=int, default=8)
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--fixed", action="store_true")
    return parser.parse_args()


class Agent:
    def __init__(self):
        self.weights = np.random.normal(0.0, 0.1, 4)

    def act(self, observations):
        return np.random.random(len(observations)) < 1 / (1 + np.exp(-observations @ self.weights))

    def learn(self, observations, rewards):
        self.weights += 0.01 * (observations * (rewards - rewards.mean())[:, None]).mean(0)


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    if args.fixed:
        envs = envpool.make("Pong-v5", env_type="gym", num_envs=args.num_envs, seed=args.seed)
    else:
        envs = envpool.make("Pong-v5", env_type="gym", num_envs=args.num_envs)
    agent = Agent()
    observations, _ = envs.reset()
    for update in range(8):
        for _ in range(args.num_steps):
            actions = agent.act(observations).astype(int)
            observations, rewards, _, _, _ = envs.step(actions)
            agent.learn(observations, rewards)
        print(f"update {update}: {rewards.mean():.2f}", flush=True)
    envs.close()


if __name__ == "__main__":
    main()
