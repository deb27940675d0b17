"""For the tutorial on ids: importing this module registers one."""

import gymnasium as gym

gym.register(id="Crane-v0", entry_point="gymnasium.envs.classic_control:CartPoleEnv")
