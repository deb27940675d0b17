"""A script registers its environment and gives its id to actors."""

import sys

from custom_env import CustomEnv
from executor import ApexExecutor
from gymnasium.envs.registration import register

FIXED = "fixed" in sys.argv


def main():
    env_id = "CustomEnv-v0"
    register(id=env_id, entry_point="custom_env:CustomEnv")
    env = CustomEnv()
    print("a state has", env.observation_space.shape, "numbers")
    env.close()
    name = f"custom_env_registration:{env_id}" if FIXED else env_id
    executor = ApexExecutor({"type": "openai", "gym_env": name})
    rewards = executor.execute_workload(updates=20, steps=50)
    print(f"{len(rewards)} steps, mean reward {sum(rewards) / len(rewards):.2f}")
    executor.terminate()


if __name__ == "__main__":
    main()
