"""Wrappers, as they were in 2018: each refuses an environment that it wraps already."""

import gymnasium
import numpy as np


class DoubleWrapperError(Exception):
    pass


class Wrapper(gymnasium.Env):
    def __init__(self, env):
        self.env = env
        self.action_space = env.action_space
        self.observation_space = env.observation_space
        self._warn_double_wrap()

    def _warn_double_wrap(self):
        env = self.env
        while isinstance(env, Wrapper):
            if type(env) is type(self):
                name = type(self).__name__
                raise DoubleWrapperError(f"Attempted to double wrap with Wrapper: {name}")
            env = env.env

    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)

    def close(self):
        return self.env.close()


class FlattenDictWrapper(Wrapper):
    def __init__(self, env, dict_keys):
        super().__init__(env)
        self.dict_keys = dict_keys
        size = sum(int(np.prod(env.observation_space[key].shape)) for key in dict_keys)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)

    def observation(self, observation):
        return np.concatenate([observation[key].ravel() for key in self.dict_keys])

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        return self.observation(observation), info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), reward, terminated, truncated, info
