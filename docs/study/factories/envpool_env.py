"""A pool of EnvPool with one environment, in the API of Gymnasium."""

import envpool


def cartpole():
    return envpool.make("CartPole-v1", env_type="gymnasium")
