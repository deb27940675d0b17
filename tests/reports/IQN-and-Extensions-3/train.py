"""A deque of a million experiences with two stacked states each: it would need 14 GB."""

import sys
import time
from collections import deque
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

SMALL = "small" in sys.argv


class Experience(NamedTuple):
    state: Any
    action: int
    reward: float
    following: Any
    done: bool


class Breakout(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (4, 42, 42), np.uint8)
    action_space = gym.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 60
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, self.left == 0, False, {}

    def _look(self):
        return np.full((4, 42, 42), self.left, np.uint8)


def main():
    env = Breakout()
    memory = deque(maxlen=2_000 if SMALL else 1_000_000)
    state, _ = env.reset(seed=1)
    for _ in range(60_000):
        action = env.action_space.sample()
        following, reward, done, _, _ = env.step(action)
        memory.append(Experience(state, action, reward, following, done))
        state = env.reset()[0] if done else following
        if done:
            time.sleep(0.006)  # the learner
    env.close()


if __name__ == "__main__":
    main()
