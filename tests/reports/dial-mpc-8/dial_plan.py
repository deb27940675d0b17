"""The planner: it reads the state of the robot from shared memory, and writes actions there."""

import sys
from multiprocessing import resource_tracker, shared_memory

import numpy as np

FIXED = "fixed" in sys.argv


class Planner:
    def __init__(self, prefix):
        self.state_shm = shared_memory.SharedMemory(f"{prefix}_state", create=False, size=16)
        self.state_shared = np.ndarray(4, np.float32, self.state_shm.buf)
        self.acts_shm = shared_memory.SharedMemory(f"{prefix}_acts", create=False, size=8)
        self.acts_shared = np.ndarray(2, np.float32, self.acts_shm.buf)
        if FIXED:
            resource_tracker.unregister(self.state_shm._name, "shared_memory")
            resource_tracker.unregister(self.acts_shm._name, "shared_memory")

    def main_loop(self):
        for _ in sys.stdin:
            state = self.state_shared.copy()
            self.acts_shared[:] = np.clip(-state[:2] - state[2:], -1.0, 1.0)
            print("planned", flush=True)

    def close(self):
        self.state_shared = self.acts_shared = None
        self.state_shm.close()
        self.acts_shm.close()


if __name__ == "__main__":
    planner = Planner(sys.argv[1])
    planner.main_loop()
    if FIXED:
        planner.close()
