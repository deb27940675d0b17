"""Jack's car rental of gym-classics, which registers its ids by a function."""

import gym_classics
import gymnasium

gym_classics.register("gymnasium")


def cars():
    return gymnasium.make("JacksCarRental-v0")
