"""Memory on NVIDIA's GPUs, of this process and all that it started."""

from __future__ import annotations

import os
from typing import Dict

from envdoctor.model.gpu import NOT_READ
from envdoctor.probe.sensors import Context
from envdoctor.probe.system import family, nvidia

NAME = "gpu-memory"


def absent() -> str:
    """Return why there is nothing to read on this machine, or ""."""
    return nvidia.absent()


def missing() -> str:
    """Return why it cannot be read here, or ""."""
    return nvidia.missing()


def read(context: Context) -> Dict[str, str]:
    """{pid: bytes in use on all GPUs}; of this process without what PyTorch keeps for its next
    tensors.
    """
    own = os.getpid()
    others = [process.pid for process in family.family(context.guard) if not process.zombie]
    try:
        held = nvidia.held([own, *others])
    except nvidia.NoAnswer as reason:
        return {NOT_READ: str(reason)}
    sums = {pid: sum(on.values()) for pid, on in held.items()}
    if own in sums:
        sums[own] = max(0, sums[own] - nvidia.cached())
    return {str(pid): str(size) for pid, size in sums.items()}
