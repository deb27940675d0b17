"""The doctor examined by its own meters: `python -m tests.support.health_of_the_doctor --cycles 200`.

One process runs whole examinations, with both reports, one after another, and between blocks of
them the meters of `envdoctor leak` are read in it: Python's objects, the native heap, descriptors,
threads, child processes, files. Judged as any environment is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from envdoctor.analysis.growth.verdicts import FILLING, FLAT, OPEN, Block, verdicts
from tests.support.zoo import ENVS

SPEC = "hostile.py:Calm"
WARM = 3  # examinations that are not measured: they import
BLOCKS = (7, 7, 7, 14, 28, 56, 81)  # 200 examinations
ENOUGH = 35  # examinations after which what is flat counts as flat
METERS = ("heap", "objects", "tracked", "descriptors", "threads", "processes", "files")


def lengths(cycles: int) -> Iterator[int]:
    """Blocks that are `cycles` together, longer and longer."""
    for block in BLOCKS:
        if cycles <= 0:
            return
        yield min(block, cycles)
        cycles -= block


def examine_once() -> None:
    """A whole examination of a healthy environment, and its reports."""
    from envdoctor.reporters import reporter
    from envdoctor.request.request import Request
    from envdoctor.request.specs import parse
    from envdoctor.run.examine import examine

    report = examine(
        Request((parse(SPEC, {}, (), str(ENVS)),), managers=("direct",)), lambda _line: None
    )
    assert report.passed
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    reporter("terminal")(report, verbosity=2)
    reporter("json")(report)


def measure(home: str, cycles: int) -> None:
    """In this process: print the blocks, one JSON object a line."""
    import rich.cells

    from envdoctor.probe.growth.meters import MeterReader
    from envdoctor.probe.growth.settle import keep_empty
    from envdoctor.probe.sensors import Context

    os.chdir(ENVS)
    for _ in range(WARM):
        examine_once()
    # It holds 4096 widths and no more; `leak` empties bounded caches that it meets, too.
    keep_empty(rich.cells.cached_cell_len)
    reader = MeterReader(Context(home))
    before, after = reader.blank(), reader.blank()
    for length in lengths(cycles):
        reader.read(before)
        for _ in range(length):
            examine_once()
        reader.rest(before)
        reader.read(after)
        risen = {
            name: later - earlier
            for name, earlier, later in zip(reader.names, before, after, strict=True)
            if name in METERS
        }
        print(json.dumps({"cycles": length, "risen": risen}), flush=True)


def blocks(cycles: int, most: int = 0) -> tuple[Block, ...]:
    """Measured in a process of its own, whose allocator gives back what is freed: `cycles`
    examinations; up to `most`, while it is undecided.
    """
    from envdoctor.run.supervise.probe_process import ALLOCATOR

    with tempfile.TemporaryDirectory(prefix="h") as home:
        temporary = Path(home, "tmp")
        temporary.mkdir()
        environment = {
            **os.environ,
            "TMPDIR": str(temporary),
            "GLIBC_TUNABLES": ALLOCATOR,
            "PYTHONHASHSEED": "0",
        }
        words = [
            sys.executable,
            "-m",
            "tests.support.health_of_the_doctor",
            "--measure",
            home,
            "--cycles",
            str(max(cycles, most)),
        ]
        with subprocess.Popen(
            words,
            cwd=Path(__file__).parents[2],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as measuring:
            clock = threading.Timer(60 + 5 * max(cycles, most), measuring.kill)
            clock.start()
            measured: tuple[Block, ...] = ()
            for line in measuring.stdout or ():
                block = json.loads(line)
                measured += (Block(block["cycles"], block["risen"]),)
                if cycles_in(measured) >= cycles and not undecided(measured):
                    measuring.terminate()
                    break
            clock.cancel()
    assert cycles_in(measured) >= cycles, "it ended early"
    return measured


def cycles_in(measured: tuple[Block, ...]) -> int:
    """Return the number of cycles in all blocks."""
    return sum(block.cycles for block in measured)


def undecided(measured: tuple[Block, ...]) -> bool:
    """Return whether a meter neither stands still nor keeps a pace yet."""
    return any(growth.kind == OPEN for growth in verdicts(measured).values())


def main() -> int:
    """A line for each meter; 1 where one of them grows, or cannot be told not to: what fills
    something once and stops is no growth.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=sum(BLOCKS))
    parser.add_argument("--measure", metavar="HOME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options.cycles)
        return 0
    measured = blocks(options.cycles)
    grown = verdicts(measured)
    print(
        f"{cycles_in(measured)} examinations in one process, in blocks of"
        f" {', '.join(str(block.cycles) for block in measured)}"
    )
    for name in measured[0].deltas:
        verdict = grown[name].kind if name in grown else "not judged"
        print(
            f"{name:12} {verdict:10} rose by"
            f" {', '.join(str(block.deltas[name]) for block in measured)}"
        )
    return int(any(growth.kind not in (FLAT, FILLING) for growth in grown.values()))


if __name__ == "__main__":
    sys.exit(main())
