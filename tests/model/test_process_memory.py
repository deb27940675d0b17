"""A process's memory as /proc has it, as values."""

from __future__ import annotations

import pytest

from envdoctor.model.process_memory import collector, written

ROLLUP = """56212147c000-7ffee1bd7000 ---p 00000000 00:00 0                          [rollup]
Rss:                1764 kB
Pss_Anon:            112 kB
Anonymous:           512 kB
LazyFree:             64 kB
AnonHugePages:         0 kB
Swap:                 32 kB
SwapPss:              32 kB
"""


def test_written_is_anonymous_and_swapped_less_what_may_be_reclaimed() -> None:
    assert written(ROLLUP) == 480 << 10


@pytest.mark.parametrize("text", ["", "Rss: 4 kB\n", "Pss_Anon:   112 kB\n"])
def test_text_without_anonymous_pages_says_nothing(text: str) -> None:
    assert written(text) == -1


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (("/usr/lib/jvm/bin/java",), "Java"),
        (("/opt/minecraft", "7f00-7f01 r-xp 0 00:00 1 /usr/lib/jvm/lib/server/libjvm.so"), "Java"),
        (("/usr/bin/node",), "Node.js"),
        (("/opt/chrome/chrome",), "Chromium"),
        (("/opt/Walker.x86_64", "7f00-7f01 r-xp 0 00:00 1 /opt/UnityPlayer.so"), "Unity"),
        (("/opt/CarlaUE4-Linux-Shipping",), "Unreal"),
        (("/opt/UE4/simulator",), ""),
        (("/home/java/simulator", "7f00-7f01 r-xp 0 00:00 0 [heap]"), ""),
        (("/opt/run-node",), ""),
        (("/opt/nodesim",), ""),
        (("/opt/node18",), "Node.js"),
        (("/opt/sim", "7f00-7f01 r-xp 0 00:00 1 /usr/lib/libmonosgen-2.0.so"), "Mono"),
        ((), ""),
    ],
)
def test_collector_is_known_by_the_names_of_files(paths: tuple[str, ...], name: str) -> None:
    assert collector(paths, b"\x7fELF") == name


@pytest.mark.parametrize(
    ("note", "name"),
    [
        (b"\x04\0\0\0\x53\0\0\0\x04\0\0\0Go\0\0abc", "Go"),
        (b"\x04\0\0\0\x53\0\0\0\x03\0\0\0GNU\0abc", ""),
        (b"", ""),
    ],
)
def test_program_of_go_is_known_by_its_note(note: bytes, name: str) -> None:
    assert collector(("/opt/simulator",), b"\x7fELF" + bytes(300) + note) == name
