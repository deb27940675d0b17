"""The number of things that a service keeps, by commands that print it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.probe.system import service_count
from envdoctor.probe.system.service_count import Failed
from tests.probe.fresh import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the exact meters need Linux"
)


@pytest.fixture(autouse=True)
def nothing_asked_for() -> Iterator[None]:
    yield
    service_count.ask_for("")
    service_count._failure.clear()


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("echo 131", 131),
        ("echo '{\"count\": 131}'", 131),
        ("printf 'sandboxes: 7\\n'", 7),
        ("echo 0", 0),
        ("echo warning 3 >&2; echo 5", 5),
    ],
)
def test_whole_number_is_read(command: str, number: int) -> None:
    assert service_count.count(command) == number


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo 1 2", "the command printed '1 2': expected one whole number"),
        ("echo 1.5", "the command printed '1.5': expected one whole number"),
        ("echo v2", "the command printed 'v2': expected one whole number"),
        ("true", "the command printed '': expected one whole number"),
        ("echo 3; exit 7", "the command ended with exit code 7: 3"),
        ("echo cannot connect >&2; exit 7", "the command ended with exit code 7: cannot connect"),
        ("exit 7", "the command ended with exit code 7"),
        ("kill -9 $$", "the command ended with exit code 137"),
    ],
)
def test_command_that_does_not_count_says_why(command: str, reason: str) -> None:
    with pytest.raises(Failed) as failed:
        service_count.count(command)
    assert str(failed.value) == reason


@pytest.mark.parametrize("command", ["sleep 600", "sleep 600 & wait", "yes"])
def test_command_that_does_not_end_is_ended(command: str) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(Failed, match="did not end"):
        service_count.run(command, seconds=0.1)
    assert set(os.listdir("/proc/self/fd")) == before


def test_reading_that_fails_is_the_last_one_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "count"
    file.write_text("7")
    service_count.ask_for(f"cat {file}")
    assert service_count.missing() == ""
    assert (service_count.read(), service_count.failure()) == (7, "")
    file.unlink()
    assert service_count.read() == service_count.before() == 7
    assert "No such file" in service_count.failure()


COUNTED = """
from envdoctor.probe.growth import cycles, meters
from envdoctor.probe.system import service_count
open("count", "w").close()
service_count.ask_for("wc -l < count")
meters.entries.cache_clear()
reader = meters.MeterReader(reader._context)

class Leak(cycles.Cycles):
    def run(self, size):
        with open("count", "a") as file:
            file.write("sandbox\\n")
        self.tally[cycles.CREATES] += 1

def block(times):
    reading = cycles.block(leak, cycles.Size(times), reader, 60.0)
    return {name: reading["after"][name] - reading["before"][name] for name in reading["after"]}

leak = Leak()
block(1)
tell([block(times) for times in (7, 14)])
"""


def test_meter_counts_what_each_cycle_leaves_and_leaves_nothing_itself(tmp_path: Path) -> None:
    first, second = run(COUNTED, tmp_path)
    assert (first["service"], second["service"]) == (7, 14)
    names = ("objects", "tracked", "heap", "descriptors", "processes", "child-memory")
    assert {name: second[name] for name in names} == dict.fromkeys(names, 0)


def test_nothing_is_counted_unless_asked_for(tmp_path: Path) -> None:
    assert "service" not in run("tell(reader.names)\n", tmp_path)
