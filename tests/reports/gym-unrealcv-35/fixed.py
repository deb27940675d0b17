"""A training is interrupted, and closes its environment, whose engine ends."""

import subprocess
import sys
import threading

import gymnasium
import numpy as np

ENGINE = "import time; time.sleep(60)"
STEPS = 40_000


class UnrealTrack(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (8, 8, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(7)

    def __init__(self):
        self.engine = None
        self.frame = threading.Event()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.engine is None:
            command = [sys.executable, "-c", ENGINE]
            self.engine = subprocess.Popen(command, start_new_session=True)
        self.left = 100
        return self.look(), {}

    def look(self):
        return self.np_random.integers(0, 256, (8, 8, 3), np.uint8)

    def step(self, action):
        self.frame.wait(0.001)
        self.left -= 1
        return self.look(), 0.0, self.left == 0, False, {}

    def close(self):
        if self.engine is not None:
            self.engine.terminate()
            self.engine.wait()
            self.engine = None


def play(env):
    env.reset(seed=1)
    for step in range(STEPS):
        _, _, over, _, _ = env.step(step % 7)
        if over:
            env.reset()


def main():
    env = UnrealTrack()
    try:
        play(env)
        env.close()
    except KeyboardInterrupt:
        print("training stopped")
        env.close()


if __name__ == "__main__":
    main()
