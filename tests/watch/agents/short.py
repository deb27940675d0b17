"""A training of some thousand steps, in long episodes: short.py CASE. Its environment keeps some
memory of each step, or of each reset, or of nothing; but of steps, it has a history of each episode.
"""

import sys
import time

import gymnasium

CASE = sys.argv[1]
STEPS, EPISODE = 6000, 500


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.past, self.history, self.steps = [], [], 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.history = []
        if CASE == "reset":
            self.past.append(bytes(1 << 16))
        return 0, {}

    def step(self, action):
        time.sleep(0.001)
        self.steps += 1
        if CASE == "step":
            self.past.append(bytes(1000))
        else:
            self.history.append(bytes(1000))
        return 0, 0.0, self.steps % EPISODE == 0, False, {}


def main():
    env = Arm()
    env.reset(seed=0)
    for _ in range(STEPS):
        if env.step(0)[2]:
            env.reset()
    env.close()


if __name__ == "__main__":
    main()
