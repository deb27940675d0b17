"""GPU memory, by a stand-in for the driver that the real nvidia-ml-py asks."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import envdoctor
from envdoctor.model import gpu
from envdoctor.model.trace import Life
from envdoctor.probe.system import nvidia
from envdoctor.rules.evidence.gpu import left_in, reason_in
from tests.interpreters import GPU, way_to

ROOT = Path(envdoctor.__file__).parents[1]
MIB = 1 << 20
CONTEXT = 300 * MIB  # that the stand-in takes for a process

needs_gpu = pytest.mark.skipif(GPU not in os.environ, reason=way_to(GPU))


def printed(code: str, *flags: str) -> str:
    """Return the output of a program that runs where the driver is."""
    folders = [str(ROOT), str(ROOT / "tests" / "envs")]
    start = f"import sys; sys.path[:0] = {folders!r}\n"
    done = subprocess.run(
        [os.environ[GPU], *flags, "-c", start + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@needs_gpu
def test_memory_is_there_while_it_is_held_and_goes_with_its_process():
    told = printed(
        """
        import multiprocessing, os
        import cuda_driver
        from envdoctor.probe.sensors import Context, gpu_memory

        def child(ready, done):
            cuda_driver.driver()
            ready.set()
            done.wait(20)

        def read():
            found = gpu_memory.read(Context("/nowhere"))
            return sorted((pid == str(os.getpid()), int(size) >> 20) for pid, size in found.items())

        print(read())
        pointer = cuda_driver.take(64 << 20)
        print(read())
        cuda_driver.free(pointer, 64 << 20)
        print(read())
        context = multiprocessing.get_context("fork")
        ready, done = context.Event(), context.Event()
        worker = context.Process(target=child, args=(ready, done))
        cuda_driver.driver.cache_clear()
        worker.start()
        assert ready.wait(20)
        print(read())
        done.set()
        worker.join(20)
        print(read())
        """
    )
    own = (True, CONTEXT >> 20)
    assert told.splitlines() == [
        "[]",
        f"{[(True, own[1] + 64)]}",
        f"{[own]}",
        f"{[(False, 300), own]}",
        f"{[own]}",
    ]


@needs_gpu
def test_a_reading_leaves_nothing_open():
    assert (
        printed(
            """
            import os, threading
            import cuda_driver
            from envdoctor.probe.system import nvidia

            cuda_driver.driver()
            assert nvidia.missing() == ""
            before = os.listdir("/proc/self/fd"), threading.active_count()
            assert nvidia.in_use_here() == 300 << 20
            assert nvidia.devices()[0].total == 8 << 30
            print((os.listdir("/proc/self/fd"), threading.active_count()) == before)
            """
        )
        == "True"
    )


@needs_gpu
def test_a_process_that_has_a_gpu_open_and_is_not_listed_is_unknown():
    told = printed(
        """
        import cuda_driver
        from envdoctor.probe.sensors import Context, gpu_memory
        from envdoctor.probe.system import kernel, nvidia

        cuda_driver.driver()
        nvidia._used = lambda nvml, handle: iter(())
        print(gpu_memory.read(Context("/nowhere")))
        kernel.descriptors = lambda pid: {"5": "/dev/nvidiactl", "6": "/dev/nvidia0"}
        print(gpu_memory.read(Context("/nowhere")))
        """
    )
    nothing, unknown = told.splitlines()
    assert nothing == "{}"
    assert unknown.startswith("{'not told': 'the driver does not report process ")


@needs_gpu
def test_without_the_library_the_reason_names_it():
    told = printed("from envdoctor.probe.system import nvidia; print(nvidia.missing())", "-S")
    assert told == "needs nvidia-ml-py in the target interpreter: pip install nvidia-ml-py"


@pytest.mark.skipif(
    sys.platform.startswith("linux") and Path("/proc/driver/nvidia/version").exists(),
    reason="this machine has an NVIDIA driver",
)
def test_without_a_driver_the_machine_has_none(monkeypatch):
    monkeypatch.setattr(nvidia, "LIBRARY", "libnvidia-that-is-not-there.so.1")
    nvidia.absent.cache_clear()
    try:
        assert "NVIDIA driver" in nvidia.absent() or "Linux only" in nvidia.absent()
    finally:
        nvidia.absent.cache_clear()


class Cuda:
    """Stand-in for PyTorch's report on its memory."""

    def __init__(self, begun: bool) -> None:
        self.begun = begun

    def is_initialized(self) -> bool:
        return self.begun

    def device_count(self) -> int:
        return 2

    def memory_reserved(self, number: int) -> int:
        return (20 * MIB, 2 * MIB)[number]

    def memory_allocated(self, number: int) -> int:
        return (4 * MIB, 2 * MIB)[number]


@pytest.mark.parametrize(("begun", "kept"), [(True, 16 * MIB), (False, 0)])
def test_memory_cached_by_torch_is_not_in_use(monkeypatch, begun, kept):
    torch = type("torch", (), {"cuda": Cuda(begun)})
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(nvidia, "held", lambda pids: {pid: {0: 400 * MIB} for pid in pids})
    assert nvidia.cached() == kept
    assert nvidia.in_use_here() == 400 * MIB - kept


#: Readings of one life: a buffer stays, and a process that was started.
RECORDED = {"before": {"711": "534773760"}, "held": {"711": "601882624", "715": "434110464"}}


def test_rises_of_a_recorded_life():
    life = Life(1, {point: {gpu.SENSOR: reading} for point, reading in RECORDED.items()})
    assert left_in(life, "held") == {"711": 67108864, "715": 434110464}
    assert left_in(life, "collected") == {}
    assert reason_in(life) == ""


def test_unread_gpu_memory_has_a_reason_and_no_figure():
    reading = {gpu.NOT_READ: "in a container"}
    life = Life(1, {"before": {gpu.SENSOR: {}}, "held": {gpu.SENSOR: reading}})
    assert left_in(life, "held") == {}
    assert reason_in(life) == "in a container"
