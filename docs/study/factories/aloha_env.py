"""A task of gym-aloha on a machine without a display."""

import os

os.environ["MUJOCO_GL"] = "egl"

import gymnasium  # noqa: E402
import gym_aloha  # noqa: E402, F401


def cube():
    return gymnasium.make("gym_aloha/AlohaTransferCube-v0")
