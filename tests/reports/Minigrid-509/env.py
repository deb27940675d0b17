"""A wrapper takes a seed and options in reset(), and hands neither on."""

import gymnasium
import numpy as np


class Rooms(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.agent = self.np_random.integers(0, 10, 2).astype(np.float32)
        self.goal = self.np_random.integers(0, 10, 2).astype(np.float32)
        return self.look(), {}

    def look(self):
        return np.concatenate([self.agent, self.goal])

    def step(self, action):
        self.steps += 1
        self.agent[0] = (self.agent[0] + action) % 10
        return self.look(), 0.0, False, self.steps == 20, {}


class DirectionObs(gymnasium.Wrapper):
    """The direction of the goal, beside what the environment returns."""

    hands_on = False

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-10.0, 10.0, (5,), np.float32)

    def reset(self, *, seed=None, options=None):
        if self.hands_on:
            view, info = self.env.reset(seed=seed, options=options)
        else:
            view, info = self.env.reset()
        return self.with_slope(view), info

    def step(self, action):
        view, reward, terminated, truncated, info = self.env.step(action)
        return self.with_slope(view), reward, terminated, truncated, info

    def with_slope(self, view):
        slope = (view[3] - view[1]) / max(view[2] - view[0], 1.0)
        return np.append(view, slope).astype(np.float32)


class Cured(DirectionObs):
    hands_on = True


def make():
    return DirectionObs(Rooms())


def make_cured():
    return Cured(Rooms())
