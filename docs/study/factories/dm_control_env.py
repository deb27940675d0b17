"""A task of DeepMind's Control Suite in the API of dm_env."""

from dm_control import suite


def cartpole():
    return suite.load("cartpole", "swingup")
