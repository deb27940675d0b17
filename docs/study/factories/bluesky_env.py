"""Two environments of BlueSky-Gym, which registers its ids by a function."""

import bluesky_gym
import gymnasium

bluesky_gym.register_envs()


def descent():
    return gymnasium.make("DescentEnv-v0")


def conflicts():
    return gymnasium.make("HorizontalCREnv-v0")
