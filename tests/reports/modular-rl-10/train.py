"""Two bodies are trained at once, each in a process of its own."""

import sys

import gymnasium as gym
from utils import BODIES, make_env_wrapper, register_envs

FIXED = "fixed" in sys.argv


def main():
    register_envs()
    helpers = [make_env_wrapper(name, FIXED) for name in BODIES]
    envs = gym.vector.AsyncVectorEnv(helpers, context="spawn")
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(100):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
