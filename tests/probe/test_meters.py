"""The exact meters in processes of their own: what is there they see, and they leave nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.probe.fresh import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the exact meters need glibc"
)

JUDGED = ("objects", "tracked", "heap", "descriptors", "threads", "processes", "files", "segments")

READINGS = """
def growth(times):
    first, last = reader.blank(), reader.blank()
    for turn in range(times + 1):
        reader.read(last if turn else first)
    return {name: last[at] - first[at] for at, name in enumerate(reader.names)}
"""

#: Cycles of nothing but the leak itself; `keep` holds what leaks and is there before.
LEAKING = """
import ctypes, subprocess, tempfile, threading
from multiprocessing import shared_memory
import compiled
native = compiled.leaks()
keep = [None] * 1000

class Object:
    __slots__ = ("a", "b", "c", "d")

class Leak(cycles.Cycles):
    def run(self, size):
        self.leak(self.tally[cycles.CREATES])
        self.tally[cycles.CREATES] += 1

    def leak(self, number):
        %s

def block(times):
    reading = cycles.block(leak, cycles.Size(times), reader, 60.0)
    return {name: reading["after"][name] - reading["before"][name] for name in reading["after"]}

leak = Leak()
block(1)
"""

BLOCKS = "tell([block(times) for times in (7, 7, 14)])\n"


def blocks(leak: str, home: Path) -> list[dict[str, int]]:
    """The judged meters that changed, block by block of 7, 7 and 14 cycles."""
    return [
        {name: block[name] for name in JUDGED if block.get(name)}
        for block in run(LEAKING % leak + BLOCKS, home)
    ]


def told_of(
    leak: str, times: int, home: Path, before: str = "", budget: float = 60.0
) -> dict[str, Any]:
    """Return the journal entry of one block of so many cycles."""
    return run(
        f"{before}\n{LEAKING % leak}leak = Leak()\ntell(cycles.block(leak, cycles.Size({times}),"
        f" reader, {budget}))",
        home,
    )


def steady(meter: str, blocks: list[dict[str, int]]) -> Any:
    return [block.get(meter) for block in blocks]


def test_a_hundred_readings_add_nothing(tmp_path: Path) -> None:
    grown = run(READINGS + "growth(3)\ntell(growth(100))", tmp_path)
    assert {name: grown[name] for name in JUDGED if grown[name]} == {}


def test_nothing_is_nothing(tmp_path: Path) -> None:
    assert blocks("pass", tmp_path) == [{}, {}, {}]


def test_an_object_a_cycle(tmp_path: Path) -> None:
    assert blocks("keep[number] = Object()", tmp_path) == [
        {"objects": n, "tracked": n} for n in (7, 7, 14)
    ]


def test_an_object_that_the_collector_does_not_know(tmp_path: Path) -> None:
    assert blocks("keep[number] = os.urandom(64)", tmp_path) == [{"objects": n} for n in (7, 7, 14)]


def test_24_bytes_of_malloc_a_cycle(tmp_path: Path) -> None:
    """32 with the header; a hole one step larger is given out whole."""
    for cycles, block in zip((7, 7, 14), blocks("native.keep_block(24)", tmp_path), strict=True):
        assert set(block) == {"heap"}
        assert 32 * cycles <= block["heap"] <= 48 * cycles


def test_a_kilobyte_of_malloc_a_cycle(tmp_path: Path) -> None:
    for cycles, block in zip((7, 7, 14), blocks("native.keep_block(1024)", tmp_path), strict=True):
        assert set(block) == {"heap"}
        assert 1040 * cycles <= block["heap"] <= 1056 * cycles


def test_mapped_pages_are_in_data_alone(tmp_path: Path) -> None:
    found = run(LEAKING % "native.keep_pages(65536)" + BLOCKS, tmp_path)
    assert [block["data"] for block in found] == [65536 * n for n in (7, 7, 14)]
    assert [block["heap"] for block in found] == [0, 0, 0]


def test_a_descriptor_a_cycle(tmp_path: Path) -> None:
    assert blocks("os.open(os.devnull, os.O_RDONLY)", tmp_path) == [
        {"descriptors": n} for n in (7, 7, 14)
    ]


def test_a_temporary_file_a_cycle(tmp_path: Path) -> None:
    found = blocks("os.close(tempfile.mkstemp()[0])", tmp_path)
    assert steady("files", found) == [7, 7, 14]


def test_a_thread_a_cycle(tmp_path: Path) -> None:
    found = blocks("threading.Thread(target=threading.Event().wait, daemon=True).start()", tmp_path)
    assert steady("threads", found) == [7, 7, 14]


def test_a_thread_that_ends_a_moment_later_is_no_leak(tmp_path: Path) -> None:
    counts = blocks("threading.Timer(0.1, reader.blank).start()", tmp_path)
    assert steady("threads", counts) == [None, None, None]
    # The first crowd makes room for itself.
    assert [set(block) & {"tracked", "objects"} for block in counts[1:]] == [set(), set()]


def test_a_child_a_cycle(tmp_path: Path) -> None:
    kill = "for child in keep:\n    child and child.kill()\n"
    found = run(
        LEAKING % "keep[number] = subprocess.Popen(['sleep', '60'])" + BLOCKS + kill, tmp_path
    )
    assert [block["processes"] for block in found] == [7, 7, 14]


def test_a_segment_of_shared_memory_a_cycle(tmp_path: Path) -> None:
    free = "for memory in keep:\n    memory and (memory.close(), memory.unlink())\n"
    found = run(
        LEAKING % "keep[number] = shared_memory.SharedMemory(create=True, size=64)" + BLOCKS + free,
        tmp_path,
    )
    assert [block["segments"] for block in found] == [7, 7, 14]


def test_cycle_is_counted_until_the_collector_frees_it(tmp_path: Path) -> None:
    told = told_of("ring = [None]; ring[0] = ring", 14, tmp_path)
    assert told["uncollected"]["garbage"] == 14
    assert told["uncollected"]["after"]["tracked"] - told["uncollected"]["before"]["tracked"] == 14
    assert told["after"]["tracked"] == told["before"]["tracked"]


def test_the_collector_is_let_loose_where_too_much_piles_up(tmp_path: Path) -> None:
    told = told_of(
        "ring = [bytearray(1 << 20)]; ring.append(ring)",
        30,
        tmp_path,
        "cycles.MAX_GARBAGE = 8 << 20",
    )
    assert told["uncollected"] is None
    assert told["creates"] == 30


def test_a_table_that_grows_with_the_garbage_beside_it_is_no_growth(tmp_path: Path) -> None:
    """Python keeps a table of a class's subclasses that never shrinks."""
    leak = LEAKING % "class Frame(Object):\n            pass"
    play = "[cycles.block(leak, cycles.Size(times), reader, 60.0) for times in (28, 56, 224)]"
    told = run(f"{leak}class First(Object):\n    pass\nleak = Leak()\ntell({play})", tmp_path)
    grown = [block["after"]["heap"] - block["before"]["heap"] for block in told]
    assert max(grown[1:]) <= 0
    assert [block["uncollected"] for block in told] == [None] * 3


def test_a_block_ends_early_after_a_whole_cycle(tmp_path: Path) -> None:
    assert told_of("pass", 1000, tmp_path, budget=-1.0)["creates"] == 1


def test_unreadable_meter_is_missing_with_its_reason(tmp_path: Path) -> None:
    readings = run(
        "tell([reader.missing, list(reader.names)])", tmp_path, {"PYTHONMALLOC": "malloc"}
    )
    assert "PYTHONMALLOC" in readings[0]["objects"]
    assert "objects" not in readings[1]


STRANGERS = """
names = ["/dev/shm/envdoctor-test-%d-%d" % (os.getpid(), at) for at in range(4)]
first, amid, last = reader.blank(), reader.blank(), reader.blank()
moved = []
for act in (lambda name: None, lambda name: open(name, "wb").close(), os.unlink):
    reader.read(first)
    for name in names:
        act(name)
    reader.read_as_it_is(amid)
    reader.read_again(last)
    moved.append({name: last[at] - first[at] for at, name in enumerate(reader.names)})
tell(moved)
"""


def test_memory_that_others_share_and_let_go_moves_no_reading(tmp_path: Path) -> None:
    """Any other program on the machine may do so in the middle of a block."""
    for moved in run(STRANGERS, tmp_path):
        assert {name: moved[name] for name in JUDGED if moved.get(name)} == {}
