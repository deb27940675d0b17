"""A simulator beside each worker of a vectorizer takes more memory with each episode."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import numpy as np

PLAYER = """
import sys
scenes = []
for line in sys.stdin:
    if line == "reset\\n":
        scenes = [] if sys.argv[1] == "Healthy" else scenes
        scenes.append(bytearray(b"x") * (1 << 18))
    print("done", flush=True)
"""


COMMAND = "watch"


class Walker(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    player = None

    def _ask(self, message):
        self.player.stdin.write(message + "\n")
        self.player.stdin.flush()
        self.player.stdout.readline()
        return np.zeros(2, np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.player is None:
            command = [sys.executable, "-c", PLAYER, sys.argv[1]]
            self.player = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        self.steps = 0
        return self._ask("reset"), {}

    def step(self, action):
        self.steps += 1
        return self._ask("step"), 0.0, self.steps == 20, False, {}

    def close(self):
        if self.player is not None:
            self.player.communicate()
            self.player = None


def main():
    envs = gymnasium.vector.AsyncVectorEnv([Walker] * 2)
    envs.action_space.seed(0)
    envs.reset(seed=0)
    for _ in range(20000):
        envs.step(envs.action_space.sample())
    envs.close()


if __name__ == "__main__":
    main()
