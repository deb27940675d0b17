"""Controls: exact where the meters are, and a sentence where they are not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.probe.fresh import EXACT, run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the exact meters need glibc"
)

NOISY = """
kept = []
def loud(read):
    def reading(into):
        kept.append(object())
        read(into)
    return reading
reader.read, reader.read_again = loud(reader.read), loud(reader.read_again)
"""
CALIBRATE = "tell(calibration.calibrate(reader))"

#: What a thread of glibc has parked of each size, as any longer run leaves it. Parked right before
#: the trial: of chunks that were parked once at the beginning, too few were left in some folders.
PARKED = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
grow = calibration._grow
def grow_after_parking(reader, chunk):
    for size in (24, 1024):
        for place in [libc.malloc(size) for _ in range(7)]:
            libc.free(place)
    return grow(reader, chunk)
calibration._grow = grow_after_parking
"""


def test_the_meters_are_exact_with_the_allocator_settings(tmp_path: Path) -> None:
    found = run(CALIBRATE, tmp_path)
    # What a machine has no driver for is missing, too, and is not the meters' concern.
    missing = {name: why for name, why in found["missing"].items() if name != "gpu"}
    assert (found["tier"], found["reasons"], missing) == ("exact", [], {})
    assert found["sees"]["objects"] == found["sees"]["descriptors"] == 1
    assert found["sees"]["heap"] == 32


def test_pythons_allocator_switched_off(tmp_path: Path) -> None:
    found = run(CALIBRATE, tmp_path, {**EXACT, "PYTHONMALLOC": "malloc"})
    assert found["tier"] == "degraded"
    assert "PYTHONMALLOC" in found["missing"]["objects"]
    assert found["reasons"][0].startswith("objects cannot be read: ")
    assert "objects" not in found["sees"]


def test_an_allocator_without_its_settings(tmp_path: Path) -> None:
    """Memory that glibc parks for its threads counts as in use: small chunks are not seen, large
    ones are.
    """
    found = run(PARKED + CALIBRATE, tmp_path, {"PYTHONHASHSEED": "0"})
    assert found["tier"] == "degraded"
    assert found["reasons"][0].startswith("7 chunks of 24 bytes changed the native heap by ")
    assert found["sees"].get("heap", 1 << 20) > 32
    assert found["sees"]["objects"] == 1


def test_no_meter_of_the_heap(tmp_path: Path) -> None:
    hidden = (
        "from envdoctor.probe.system import heap\nheap._meter = lambda:"
        " None\nheap.missing.cache_clear()\n"
    )
    calibration = run(
        hidden + "reader = meters.MeterReader(reader._context)\n" + CALIBRATE, tmp_path
    )
    assert calibration["tier"] == "degraded"
    assert (
        calibration["missing"]["heap"] == "needs glibc 2.33 or psutil 7.2 in the target interpreter"
    )
    assert "heap" not in calibration["sees"]


def test_no_ctypes(tmp_path: Path) -> None:
    hidden = "from envdoctor.probe.system import heap\nheap.libc = lambda: None\n"
    calibration = run(hidden + CALIBRATE, tmp_path)
    assert calibration["reasons"] == [
        "the native heap's meter cannot be tried: this interpreter has no ctypes"
    ]
    assert calibration["sees"]["objects"] == 1


def test_a_noisy_process_says_so(tmp_path: Path) -> None:
    found = run(NOISY + CALIBRATE, tmp_path)
    assert found["tier"] == "degraded"
    assert any(reason.startswith("objects changed by 1 ") for reason in found["reasons"]), found
    assert found["sees"].get("objects") in (None, 2)
