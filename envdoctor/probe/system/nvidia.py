"""Memory on NVIDIA's GPUs, process by process, as the driver's own library (NVML) tells.

The library is opened and shut for each reading: what it opens below /dev would be inherited by
workers, and read as descriptors of the environment. It is asked only where a process has the
driver mapped: without that, none can hold memory of a GPU.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.system import kernel

if TYPE_CHECKING:
    from types import ModuleType


LIBRARY = "libnvidia-ml.so.1"
PACKAGE = "pynvml"  # as nvidia-ml-py is imported

#: What is mapped where a process has opened CUDA, EGL, OpenGL or Vulkan on such a GPU.
DRIVERS = (
    b"/libcuda.so",
    b"/libEGL_nvidia.so",
    b"/libGLX_nvidia.so",
    b"/libnvidia-e",
    b"/libdxcore",
)
OPENED = re.compile(r"/dev/(nvidia\d+|dxg)")


class Device(NamedTuple):
    """One GPU, and its memory in bytes."""

    number: int
    name: str
    total: int
    free: int


class NoAnswer(Exception):
    """The driver does not say how much memory a process holds."""


@lru_cache(maxsize=None)
def absent() -> str:
    """Return why no memory can be counted on this machine, or nothing."""
    if not kernel.HAS_PROC:
        return "GPU memory is read on Linux only"
    try:
        import ctypes

        ctypes.CDLL(LIBRARY)
    except (ImportError, OSError):
        return "this machine has no NVIDIA driver (%s was not found)" % LIBRARY
    return ""


@lru_cache(maxsize=None)
def missing() -> str:
    """Return why memory cannot be read here, or nothing."""
    if absent():
        return absent()
    if importlib.util.find_spec(PACKAGE) is None:
        return "needs nvidia-ml-py in the target interpreter: pip install nvidia-ml-py"
    try:
        with _Session() as nvml:
            nvml.nvmlDeviceGetCount()
    except Exception as error:
        return "the NVIDIA driver does not answer: %s" % error
    return ""


class _Session:
    """NVML, open for one reading."""

    def __enter__(self) -> ModuleType:
        self._nvml = importlib.import_module(PACKAGE)
        self._nvml.nvmlInit()
        return self._nvml

    def __exit__(self, *_error: object) -> None:
        self._nvml.nvmlShutdown()


def held(pids: Iterable[int]) -> Dict[int, Dict[int, int]]:
    """{pid: {number of the GPU: bytes}} of those processes that hold memory of one. Raises NoAnswer
    where a process has a GPU open and the driver does not report it.
    """
    drawing = [pid for pid in pids if has_driver(pid)]
    if not drawing:
        return {}
    with _Session() as nvml:
        sizes: Dict[int, Dict[int, int]] = {}
        for number, handle in _handles(nvml):
            for pid, used in _used(nvml, handle):
                if pid in drawing:
                    on = sizes.setdefault(pid, {})
                    on[number] = max(on.get(number, 0), used)
    unknown = [pid for pid in drawing if pid not in sizes and _has_device(pid)]
    if unknown:
        raise NoAnswer(
            "the driver does not report process %d, which has a GPU open: in a container it may"
            " count by other process ids" % unknown[0]
        )
    return sizes


def devices() -> List[Device]:
    """Every GPU."""
    with _Session() as nvml:
        return [_device(nvml, number, handle) for number, handle in _handles(nvml)]


def cached() -> int:
    """Bytes of GPU memory that PyTorch keeps in this process for its next tensors, where it is
    loaded and has begun to use a GPU.
    """
    cuda = getattr(loaded.module("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return 0
    return sum(
        int(cuda.memory_reserved(number)) - int(cuda.memory_allocated(number))
        for number in range(cuda.device_count())
    )


def in_use_here() -> int:
    """Bytes that this process has in use on all GPUs, without what PyTorch keeps for its next
    tensors.
    """
    mine = held([os.getpid()]).get(os.getpid(), {})
    return max(0, sum(mine.values()) - cached()) if mine else 0


def has_driver(pid: int) -> bool:
    """Return whether a process has the driver mapped."""
    try:
        with open("/proc/%d/maps" % pid, "rb") as maps:  # by lines: it may be long, and grow
            return any(name in line for line in maps for name in DRIVERS)
    except OSError:
        return False


def _has_device(pid: int) -> bool:
    """Return whether a process has a GPU open."""
    return any(OPENED.fullmatch(target) for target in kernel.descriptors(pid).values())


def _handles(nvml: ModuleType) -> Iterator[Tuple[int, object]]:
    for number in range(nvml.nvmlDeviceGetCount()):
        yield number, nvml.nvmlDeviceGetHandleByIndex(number)


def _used(nvml: ModuleType, handle: object) -> Iterator[Tuple[int, int]]:
    """(pid, bytes) of what computes and of what draws; one that does both is listed twice."""
    for ask in (
        nvml.nvmlDeviceGetComputeRunningProcesses,
        nvml.nvmlDeviceGetGraphicsRunningProcesses,
    ):
        for process in _answer(nvml, ask, handle):
            if process.usedGpuMemory is not None:
                yield int(process.pid), int(process.usedGpuMemory)


def _answer(
    nvml: ModuleType, ask: Callable[[object], Iterable[object]], handle: object
) -> List[Any]:
    """Answer of a GPU; nothing where it has no such list."""
    try:
        return list(ask(handle))
    except nvml.NVMLError_NotSupported:
        return []


def _device(nvml: ModuleType, number: int, handle: object) -> Device:
    name = nvml.nvmlDeviceGetName(handle)
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    text = name.decode(errors="replace") if isinstance(name, bytes) else str(name)
    return Device(number, text, int(memory.total), int(memory.free))
