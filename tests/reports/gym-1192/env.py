"""The environment of the report, as it is today."""

import ale_py
import gymnasium

gymnasium.register_envs(ale_py)


def make():
    return gymnasium.make("ALE/Breakout-v5")
