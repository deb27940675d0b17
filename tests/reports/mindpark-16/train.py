"""The trainer closes its environment when it has trained, and not where an exception ends it."""

import subprocess
import sys

import gymnasium
import numpy as np

GAME = "import time; time.sleep(40)"


class Doom(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        command = [sys.executable, "-S", "-c", GAME]
        self.game = subprocess.Popen(command)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.np_random.random(4, np.float32), {}

    def step(self, action):
        self.steps += 1
        return self.np_random.random(4, np.float32), 1.0, False, self.steps == 50, {}

    def close(self):
        if self.game is not None:
            self.game.kill()
            self.game.wait()
            self.game = None


def train(env, episodes):
    scores = {}
    for episode in range(episodes):
        env.reset(seed=episode)
        over = False
        while not over:
            _, reward, _, over, _ = env.step(episode % 3)
        scores[episode % 5] = scores.get(episode % 5, 0.0) + reward
    return scores[5]


def main():
    env = Doom()
    train(env, 20)
    env.close()


if __name__ == "__main__":
    main()
