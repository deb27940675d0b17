"""The same, where an episode ends after 60 steps."""

import gymnasium
import train


def make():
    return gymnasium.wrappers.TimeLimit(train.Circuit(), train.STEPS)


if __name__ == "__main__":
    train.main(make)
