"""Room for ourselves, where an environment has used all there is, or forbidden itself more."""

from __future__ import annotations

import contextlib
import sys
from typing import Dict, Iterator, List, Tuple

try:  # early: without a free descriptor, nothing can be imported either
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

RECURSION = 1000  # calls deep, as Python starts with
LIMITS = ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS")
_lifted: Dict[int, int] = {}  # of each limit that is lifted now, what it is for the environment
_lowered: List[int] = []  # the environment's recursion limit, where it is raised now


@contextlib.contextmanager
def made() -> Iterator[None]:
    """Within, the limits of this process are as wide as it may make them; the environment gets
    its own back.
    """
    lifted, depth = _lift(), sys.getrecursionlimit()
    _lifted.update(lifted)
    if depth < RECURSION:
        sys.setrecursionlimit(RECURSION)
        _lowered.append(depth)
    try:
        yield
    finally:
        for limit, soft in lifted:
            del _lifted[limit]
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (soft, resource.getrlimit(limit)[1]))
        if depth < RECURSION:
            _lowered.pop()
            # It was set for a stack that was less deep than this one is.
            with contextlib.suppress(RecursionError):
                sys.setrecursionlimit(depth)


def limit_of_environment(limit: int) -> Tuple[int, int]:
    """The soft and the hard limit that the environment has, also where there is more room now."""
    soft, hard = resource.getrlimit(limit)
    return _lifted.get(limit, soft), hard


def recursion_limit_of_environment() -> int:
    """The recursion limit that the environment has, also where there is more room now."""
    return _lowered[-1] if _lowered else sys.getrecursionlimit()


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
