"""The same with a vector environment: every fresh rollout resets with the configured seed (cleanrl-like scripts)."""

import gymnasium as gym
from gymnasium.vector import SyncVectorEnv


def main():
    envs = SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 4)
    for update in range(60):
        envs.reset(seed=5)
        for _ in range(40):
            envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
