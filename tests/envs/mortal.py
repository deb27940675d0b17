"""Environments that hold what outlives a process, for the deaths of the doctor itself. Shared
memory carries the mark of the run.
"""

from __future__ import annotations

import os
from multiprocessing import process, resource_tracker, shared_memory

from hostile import Calm
from plain import Plain

MARK = os.environ.get("DEATHS_MARK", "envdoctor-mortal")


class Queues(Plain):
    """Hosted by workers that are started anew, whose manager has a queue: semaphores with the mark
    of the run, which Python removes at its exit, if it comes to one.
    """

    process.current_process()._config["semprefix"] = f"/{MARK}"


class HoldsSharedMemory(Calm):
    """Gives it back in close(): as long as it lives, it is there."""

    memory = None

    def reset(self, seed=None):
        if self.memory is None:
            self.memory = shared_memory.SharedMemory(
                f"{MARK}-{os.getpid()}-{id(self)}", create=True, size=4096
            )
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
        memory = shared_memory.SharedMemory(
            f"{MARK}-{os.getpid()}-{self.count}", create=True, size=4096
        )
        # Else Python would tidy up by itself.
        resource_tracker.unregister(memory._name, "shared_memory")
        memory.close()
        return super().reset(seed)
