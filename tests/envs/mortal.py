"""Environments that hold what outlives a process, for the deaths of the doctor itself. Shared memory carries the mark of the run."""

from __future__ import annotations

import os
from multiprocessing import resource_tracker, shared_memory

from hostile import Calm

MARK = os.environ.get("DEATHS_MARK", "envdoctor-mortal")


class HoldsSharedMemory(Calm):
    """Gives it back in close(): as long as it lives, it is there."""

    memory = None

    def reset(self, seed=None):
        if self.memory is None:
            self.memory = shared_memory.SharedMemory(f"{MARK}-{os.getpid()}-{id(self)}", create=True, size=4096)
        return super().reset(seed)

    def step(self, action):
        os.sched_yield()
        return super().step(action)

    def close(self):
        if self.memory is not None:
            memory, self.memory = self.memory, None
            memory.close()
            memory.unlink()


class ForgetsNamedMemory(Calm):
    """Unmaps what it never unlinks: no process holds it any more."""

    count = 0

    def reset(self, seed=None):
        ForgetsNamedMemory.count += 1
        memory = shared_memory.SharedMemory(f"{MARK}-{os.getpid()}-{self.count}", create=True, size=4096)
        resource_tracker.unregister(memory._name, "shared_memory")  # else Python would tidy up by itself
        memory.close()
        return super().reset(seed)
