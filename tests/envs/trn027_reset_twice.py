"""A script that resets where an episode has ended, and once more before it plays the next one."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np

COMMAND = "watch"


class Corridor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = np.float32(self.np_random.uniform(-1, 1))
        self.steps = 0
        return np.array([self.place]), {}

    def step(self, action):
        self.place = np.clip(self.place + np.float32(action - 0.5), -10, 10)
        self.steps += 1
        return np.array([self.place]), -abs(float(self.place)), self.steps == 10, False, {}


class Right(gymnasium.Wrapper):
    """It begins on the right: until it does, it resets."""

    def reset(self, **keywords):
        observation, info = self.env.reset(**keywords)
        while observation[0] < 0:
            observation, info = self.env.reset()
        return observation, info


class Settled(gymnasium.Wrapper):
    """Its first beginning loads a world, which the second one needs."""

    def reset(self, **keywords):
        self.env.reset(**keywords)
        return self.env.reset()


def play(env, again=False, **keywords):
    env.reset(seed=1)
    for _ in range(20):
        env.reset()
        if keywords:
            env.reset(**keywords)
        over = False
        while not over:
            over = env.step(0)[2]
        if again:
            env.reset()
    env.close()


def play_vector(envs):
    envs.reset(seed=1)
    for _ in range(200):
        envs.step(np.zeros(2, int))
    envs.close()


def sick():
    play(Corridor(), again=True)


def healthy():
    play(Corridor())
    play(Corridor(), seed=3)
    play(Corridor(), options={"level": 1})
    play(Right(Corridor()))
    play(Settled(Corridor()))
    play_vector(gymnasium.vector.SyncVectorEnv([Corridor] * 2))


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
