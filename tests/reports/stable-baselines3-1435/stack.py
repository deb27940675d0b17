"""A wrapper stacks frames of a dict, and puts the new stack into the dict that it returned before."""

import gymnasium as gym
import numpy as np


class Camera(gym.Env):
    observation_space = gym.spaces.Dict({"frame": gym.spaces.Box(0.0, 1.0, (4,), np.float32)})
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return self.seen(), {}

    def step(self, action):
        self.left -= 1
        return self.seen(), 1.0, self.left == 0, False, {}

    def seen(self):
        return {"frame": self.np_random.random(4, np.float32)}


class StackedFrames(gym.Wrapper):
    def __init__(self, env, number=3):
        super().__init__(env)
        shape = (number, 4)
        self.observation_space = gym.spaces.Dict(
            {"frame": gym.spaces.Box(0.0, 1.0, shape, np.float32)}
        )
        self.stacked = {"frame": np.zeros(shape, np.float32)}

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self.stacked = {"frame": np.zeros((3, 4), np.float32)}
        return self.update(observation), info

    def step(self, action):
        observation, reward, over, cut, info = self.env.step(action)
        return self.update(observation), reward, over, cut, info

    def update(self, observation):
        moved = np.roll(self.stacked["frame"], -1, axis=0)
        moved[-1] = observation["frame"]
        self.stacked["frame"] = moved
        return self.stacked


class CuredFrames(StackedFrames):
    def update(self, observation):
        return {"frame": super().update(observation)["frame"].copy()}


def make():
    return StackedFrames(Camera())


def cured():
    return CuredFrames(Camera())
