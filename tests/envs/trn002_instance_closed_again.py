"""A script that closes what the vectorizer has closed."""

from __future__ import annotations

import sys

import gymnasium

COMMAND = "watch"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


class Rebuilt(Arm):
    """Its reset() closes what the episode before has left."""

    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed)


def sick():
    env = Arm()
    vectorizer = gymnasium.vector.SyncVectorEnv([lambda: env])
    vectorizer.reset()
    vectorizer.step([0])
    vectorizer.close()
    env.close()


def healthy():
    env = Arm()
    vectorizer = gymnasium.vector.SyncVectorEnv([lambda: env])
    vectorizer.reset()
    vectorizer.step([0])
    vectorizer.close()
    env = Rebuilt()
    for _ in range(3):
        env.reset()
        env.step(0)
    env.close()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
