"""A training whose process loses native memory at each reset: growing.py environment|trainer."""

import ctypes
import sys
import time

import gymnasium

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p

LOST = 4096  # bytes for each reset
EPISODES, PAUSE = 6_000, 0.001  # seconds: it lasts as long as readings need


class Quiet(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(3)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return 0, {}

    def step(self, action):
        self.steps += 1
        return 0, 0.0, self.steps == 20, False, {}


class Losing(Quiet):
    def reset(self, *, seed=None, options=None):
        libc.malloc(LOST)
        return super().reset(seed=seed)


if __name__ == "__main__":
    env = Losing() if sys.argv[1] == "environment" else Quiet()
    for _ in range(EPISODES):
        env.reset()
        if sys.argv[1] == "trainer":
            libc.malloc(LOST)
        time.sleep(PAUSE)
        ended = False
        while not ended:
            _, _, ended, _, _ = env.step(0)
    env.close()
