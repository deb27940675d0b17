"""The buffer is bounded by its episodes, which get longer as the agent gets better."""

import sys
import time
from collections import deque

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Geese(gym.Env):
    """Better play lasts longer."""

    observation_space = gym.spaces.Box(0, 1, (17, 7, 11), np.float32)
    action_space = gym.spaces.Discrete(4)

    def __init__(self):
        self.played = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.played += 1
        self.left = 5 + self.played // 100
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, self.left == 0, False, {}

    def _look(self):
        return self.np_random.random((17, 7, 11), np.float32)


def main():
    env = Geese()
    episodes = deque(maxlen=100_000)
    for number in range(3000):
        moments = [env.reset(seed=0 if number == 0 else None)[0]]
        over = False
        while not over:
            observation, _, over, _, _ = env.step(env.action_space.sample())
            moments.append(observation)
        episodes.append(moments)
        time.sleep(0.002)  # the learner
        while FIXED and sum(map(len, episodes)) > 2000:
            episodes.popleft()
    env.close()


if __name__ == "__main__":
    main()
