"""The environment of the report, as it is."""

import gymnasium
import highway_env

gymnasium.register_envs(highway_env)


def other():
    return gymnasium.make("merge-v0")


def make():
    return gymnasium.make("highway-fast-v0", config={"vehicles_count": 5, "duration": 6})
