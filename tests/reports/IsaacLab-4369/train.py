"""Learns values of states by temporal differences; an episode that is cut off has a next state."""

import sys

import numpy as np
from manager_based_rl_env import Cured, ManagerBasedRLEnv

FIXED = "fixed" in sys.argv


def features(obs):
    return np.concatenate([np.ones((len(obs), 1)), obs / 5.0, (obs / 5.0) ** 2], axis=1)


def main():
    env = Cured() if FIXED else ManagerBasedRLEnv()
    generator, weights = np.random.default_rng(1), np.zeros(5)
    obs, _ = env.reset(seed=1)
    for iteration in range(2000):
        action = generator.uniform(-1.0, 1.0, (env.num_envs, 1)).astype(np.float32)
        next_obs, rewards, terminated, truncated, extras = env.step(action)
        following = next_obs
        if FIXED and "final_obs" in extras:
            following = np.where((terminated | truncated)[:, None], extras["final_obs"], next_obs)
        targets = rewards + 0.95 * (features(following) @ weights) * ~terminated
        errors = targets - features(obs) @ weights
        weights += 0.02 * errors @ features(obs) / len(obs)
        obs = next_obs
        if iteration % 500 == 499:
            print(f"iteration {iteration + 1}: {weights.round(2)}")
    env.close()


if __name__ == "__main__":
    main()
