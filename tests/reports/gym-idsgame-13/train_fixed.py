"""The same, with the import that registers the game."""

import gym_idsgame
from train import train

if __name__ == "__main__":
    assert gym_idsgame
    train(100)
