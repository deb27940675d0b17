"""A pool of threads that the first reset() begins, once for the process: healthy, unless
somebody forks afterwards.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from plain import Plain


@lru_cache
def pool():
    return ThreadPoolExecutor(2)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        return pool().submit(observation.copy).result(), info
