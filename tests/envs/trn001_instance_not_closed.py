"""An evaluation that forgets its environment."""

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

    def close(self):
        print("lowered")


def sick():
    for _ in range(3):
        env = Arm()
        for _ in range(2):
            env.reset()
            env.step(0)


def healthy():
    for _ in range(3):
        env = Arm()
        for _ in range(2):
            env.reset()
            env.step(0)
        env.close()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
