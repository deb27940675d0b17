"""Memory that PyTorch and JAX themselves count in use on GPUs, where they are loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Callable, Dict, List, Tuple, Union

if TYPE_CHECKING:
    from types import ModuleType

BACKENDS = "jax._src.xla_bridge"  # the module that keeps what JAX has opened
GPU_PLATFORMS = ("gpu", "cuda", "rocm")  # as JAX calls them

Counted = Dict[str, Union[int, str]]


class Unseen(Exception):
    """A library has no memory on a GPU to count. Its text is the reason."""


def read() -> List[Counted]:
    """[{library, bytes}] of those that are loaded, or {library, not_seen}, with the reason. None of
    them is made to open a GPU.
    """
    return [
        dict(_counted(count, sys.modules[name]), library=name)
        for name, count in COUNTERS
        if name in sys.modules
    ]


def _counted(count: Callable[[ModuleType], int], library: ModuleType) -> Counted:
    try:
        return {"bytes": count(library)}
    except Unseen as reason:
        return {"not_seen": str(reason)}
    except Exception as error:  # a version that answers otherwise
        return {"not_seen": "%s: %s" % (type(error).__name__, error)}


def _torch(torch: ModuleType) -> int:
    if not torch.cuda.is_initialized():
        raise Unseen("it has not opened a GPU")
    devices = range(torch.cuda.device_count())
    return sum(int(torch.cuda.memory_allocated(number)) for number in devices)


def _jax(jax: ModuleType) -> int:
    bridge = sys.modules.get(BACKENDS)  # jax.local_devices() would open them
    if not getattr(bridge, "_backends", None):
        raise Unseen("it has not opened a GPU")
    devices = [device for device in jax.local_devices() if device.platform in GPU_PLATFORMS]
    if not devices:
        raise Unseen("it has not opened a GPU")
    return sum(int({**device.memory_stats()}.pop("bytes_in_use")) for device in devices)


#: The libraries that count, by the name of their module.
COUNTERS: Tuple[Tuple[str, Callable[[ModuleType], int]], ...] = (("torch", _torch), ("jax", _jax))
