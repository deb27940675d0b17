"""At the end of an episode the infos hold themselves, with all that they hold besides."""

import gymnasium as gym
import numpy as np


class Cube(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (4,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        return self.np_random.uniform(-1, 1, 4).astype(np.float32), {}

    def step(self, action):
        self.left -= 1
        look = self.np_random.uniform(-1, 1, 4).astype(np.float32)
        return (
            look,
            0.0,
            self.left == 0,
            False,
            {"cameras": np.full((1024, 1024, 3), self.left, np.uint8)},
        )


class VectorWrapper(gym.Wrapper):
    def _final(self, info):
        return info

    def step(self, action):
        observation, reward, over, cut, info = self.env.step(action)
        if over:
            info["final_info"] = self._final(info)
        return observation, reward, over, cut, info


class Cured(VectorWrapper):
    def _final(self, info):
        return dict(info)


def make():
    return VectorWrapper(Cube())


def cured():
    return Cured(Cube())
