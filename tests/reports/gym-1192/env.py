"""The environment of the report, as it is today."""

import ale_py
import gymnasium

gymnasium.register_envs(ale_py)


def other():
    return gymnasium.make("ALE/Pong-v5")


def make():
    return gymnasium.make("ALE/Breakout-v5")
