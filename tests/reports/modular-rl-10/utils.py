"""Environments of several bodies, which are registered by what lies in a folder."""

import gymnasium as gym
import numpy as np


class Body(gym.Env):
    action_space = gym.spaces.Discrete(2)

    def __init__(self, limbs):
        self.limbs = limbs
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (limbs,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angles, self.steps = self.np_random.uniform(-1, 1, self.limbs), 0
        return self.angles.astype(np.float32), {}

    def step(self, action):
        self.angles = np.clip(self.angles + 0.1 * (2 * action - 1), -5, 5)
        self.steps += 1
        return self.angles.astype(np.float32), 1.0, False, self.steps == 30, {}


BODIES = {"walker": 6, "hopper": 3}


def register_envs():
    for name, limbs in BODIES.items():
        if f"{name}-v0" not in gym.registry:
            gym.register(f"{name}-v0", entry_point="utils:Body", kwargs={"limbs": limbs})


class PaddedEnv(gym.ObservationWrapper):
    """All bodies have the observation space of the one with most limbs."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (max(BODIES.values()),), np.float32)

    def observation(self, observation):
        padded = np.zeros(self.observation_space.shape, np.float32)
        padded[: len(observation)] = observation
        return padded


def make_env_wrapper(name, registers=False):
    def helper():
        if registers:
            register_envs()
        return PaddedEnv(gym.make(f"{name}-v0"))

    return helper
