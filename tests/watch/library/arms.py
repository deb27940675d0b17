"""An environment that counts for itself."""

import os

import gymnasium

COUNTS = {"made": 0, "resets": 0, "steps": 0, "closed": 0}


class Arm(gymnasium.Env):
    def __init__(self, size=3, broken=False):
        if broken:
            raise ValueError("broken")
        COUNTS["made"] += 1
        self.size = size

    def reset(self, *, seed=None, options=None):
        COUNTS["resets"] += 1
        return 0, {}

    def step(self, action):
        """One step."""
        COUNTS["steps"] += 1
        if action == 7:
            raise RuntimeError("seven")
        if action == 8:
            os._exit(8)
        return 0, 0.0, False, False, {}

    def close(self):
        COUNTS["closed"] += 1


class LongArm(Arm):
    """Calls its parent's methods, which are calls of this instance no second time."""

    def step(self, action):
        return super().step(action)


def play(number, steps, close=True):
    for _ in range(number):
        env = gymnasium.Wrapper(LongArm(size=4))
        env.reset(seed=1)
        for _ in range(steps):
            env.step(0)
        if close:
            env.close()
