"""The simulator: it publishes the state of a robot in shared memory, and takes actions from there."""

import sys
from multiprocessing import shared_memory

import gymnasium
import numpy as np


class DialSim(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self, prefix):
        self.state_shm = shared_memory.SharedMemory(f"{prefix}_state", create=True, size=16)
        self.state_shared = np.ndarray(4, np.float32, self.state_shm.buf)
        self.acts_shm = shared_memory.SharedMemory(f"{prefix}_acts", create=True, size=8)
        self.acts_shared = np.ndarray(2, np.float32, self.acts_shm.buf)
        self.acts_shared[:] = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state_shared[:] = self.np_random.uniform(-0.1, 0.1, 4)
        return self.state_shared.copy(), {}

    def step(self, action):
        self.state_shared[2:] += 0.1 * np.asarray(action)
        self.state_shared[:2] += 0.1 * self.state_shared[2:]
        self.state_shared.clip(-100.0, 100.0, out=self.state_shared)
        return (
            self.state_shared.copy(),
            -float(np.abs(self.state_shared[:2]).sum()),
            False,
            False,
            {},
        )

    def main_loop(self):
        self.reset(seed=0)
        print("ready", flush=True)
        for _ in sys.stdin:
            self.step(self.acts_shared.copy())
            print("stepped", flush=True)

    def close(self):
        self.state_shared = self.acts_shared = None
        self.state_shm.close()
        self.state_shm.unlink()
        self.acts_shm.close()
        self.acts_shm.unlink()


if __name__ == "__main__":
    sim = DialSim(sys.argv[1])
    try:
        sim.main_loop()
    finally:
        sim.close()
