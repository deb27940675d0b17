"""Room for ourselves, where an environment has used all there is, or forbidden itself more."""

from __future__ import annotations

import contextlib
import sys
from typing import Iterator, List, Tuple

try:  # early: without a free descriptor, nothing can be imported either
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

RECURSION = 1000  # calls deep, as Python starts with
LIMITS = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS")


@contextlib.contextmanager
def made() -> Iterator[None]:
    """Within, the limits of this process are as wide as it may make them; the environment gets
    its own back.
    """
    lifted, depth = _lift(), sys.getrecursionlimit()
    if depth < RECURSION:
        sys.setrecursionlimit(RECURSION)
    try:
        yield
    finally:
        for limit, soft in lifted:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (soft, resource.getrlimit(limit)[1]))
        if depth < RECURSION:
            # It was set for a stack that was less deep than this one is.
            with contextlib.suppress(RecursionError):
                sys.setrecursionlimit(depth)


def _lift() -> List[Tuple[int, int]]:
    """Raise every soft limit that stands below its hard one; (limit, what it was) of each."""
    lifted = []
    for limit in (getattr(resource, name) for name in LIMITS if hasattr(resource, name)):
        with contextlib.suppress(OSError, ValueError):
            soft, hard = resource.getrlimit(limit)
            if soft != hard:
                resource.setrlimit(limit, (hard, hard))
                lifted.append((limit, soft))
    return lifted
