"""A server: it executes programs of blocks in an environment, with a second one for planning."""

import mmap
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
CLIENTS = {}


def connect():
    """Give a new client of the physics engine its number."""
    number = len(CLIENTS)
    while number in CLIENTS:
        number += 1
    CLIENTS[number] = mmap.mmap(-1, 1 << 20)
    CLIENTS[number].write(b"\x01" * (1 << 20))
    return number


def disconnect(number):
    CLIENTS.pop(number).close()


class BaseMotion3DEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self):
        self.client = connect()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.base = self.np_random.uniform(-1.0, 1.0, 2)
        return self.base.astype(np.float32), {}

    def set_state(self, base):
        self.base = np.array(base, float)

    def step(self, action):
        self.base = (self.base + 0.1 * np.asarray(action)).clip(-10, 10)
        return self.base.astype(np.float32), -float(np.linalg.norm(self.base)), False, False, {}

    def close(self):
        if self.client is not None:
            disconnect(self.client)
            self.client = None


def plan(sim, base, target):
    """Actions that bring the base to the target, tried in the second environment."""
    sim.reset(seed=0)
    sim.set_state(base)
    actions = []
    while np.linalg.norm(sim.base - target) > 0.05 and len(actions) < 50:
        actions.append(np.clip((target - sim.base) * 10, -1, 1).astype(np.float32))
        sim.step(actions[-1])
    return actions


def execute_program(blocks, seed):
    env = BaseMotion3DEnv()
    try:
        obs, _ = env.reset(seed=seed)
        sim = BaseMotion3DEnv()
        for target in blocks:
            for action in plan(sim, obs, target):
                obs, _, _, _, _ = env.step(action)
        if FIXED:
            sim.close()
        return obs
    finally:
        env.close()


def main():
    blocks = [np.array([0.5, 0.5]), np.array([-0.5, 0.2])]
    for request in range(60):
        obs = execute_program(blocks, seed=request)
    print(f"{len(CLIENTS)} clients, at {obs}")


if __name__ == "__main__":
    main()
