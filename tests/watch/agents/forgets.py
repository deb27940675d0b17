"""A training that closes neither its vectorizer nor its evaluation environments."""

from __future__ import annotations

from pathlib import Path

import gymnasium
from gymnasium.vector import SyncVectorEnv

SETTINGS = Path(__file__).parent / "settings.txt"


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.np_random.random(2).astype("float32"), {}

    def step(self, action):
        return self.np_random.random(2).astype("float32"), 0.0, False, False, {}

    def close(self):
        self.steps = 0


def evaluate():
    for number in range(3):
        env = Arm()
        env.reset(seed=number)
        env.step(0)


def main():
    envs = SyncVectorEnv([Arm, Arm])
    envs.reset(seed=3)
    for _ in range(int(SETTINGS.read_text())):
        envs.step([0, 1])
    evaluate()
    print("trained")


if __name__ == "__main__":
    main()
