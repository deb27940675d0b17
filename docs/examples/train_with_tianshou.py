"""CartPole in two workers of Tianshou, without a policy."""

import gymnasium
import numpy as np
from tianshou.env import SubprocVectorEnv


def main():
    envs = SubprocVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 2)
    envs.reset()
    for _ in range(1000):
        _, _, terminated, truncated, _ = envs.step(np.array([0, 1]))
        ended = np.where(terminated | truncated)[0]
        if len(ended):
            envs.reset(ended)
    envs.close()


if __name__ == "__main__":
    main()
