"""The zoo and the tests beside processes that keep the machine busy.

python -m tests.support.load                        does a busy machine change a finding?
python -m tests.support.load --tests --times 3      are the tests green there, three times?
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.zoo import Animal, animals, examine

BUSY = 8  # processes
#: Those whose verdict time has a part in: growth, slow calls, hangs, leftovers that go late.
SAMPLE = ("lek001", "lek005", "cls005", "mak003", "hng003", "cls007", "prc001")
SPINNING = [sys.executable, "-I", "-S", "-c", "while True: pass"]

ROOT = Path(__file__).parents[2]
#: pytest's own last line.
SUMMARY = re.compile(r"\d+ (passed|failed|error).* in \d")
#: Seconds and memory: how long a call took, and how much room the machine had.
MEASURED = re.compile(r"\d+(\.\d+)? (s|ms|min|MiB|GiB)\b")

#: Of each finding: code, severity, manager, start method and message.
Findings = frozenset[tuple[str, ...]]


@contextlib.contextmanager
def busy(number: int) -> Iterator[None]:
    """Within, so many processes do nothing but run."""
    processes = [subprocess.Popen(SPINNING) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def findings(animal: Animal) -> Findings:
    """The findings of one environment, with their amounts; without seconds and sizes of memory."""
    words = (*animal.arguments, *(animal.python or ()))
    _, document = examine(animal.spec, *words, command=animal.command)
    return frozenset(map(_as_values, document["findings"]))


def _as_values(finding: dict[str, Any]) -> tuple[str, ...]:
    keys = ("code", "severity", "manager", "start_method")
    message = MEASURED.sub(r"- \2", finding["message"])
    return (*(str(finding[key]) for key in keys), message)


def findings_of(chosen: Sequence[Animal], jobs: int) -> dict[str, Findings | str]:
    """The findings of each, so many examined at once; a sentence where there was no report in
    time.
    """

    def examined(animal: Animal) -> Findings | str:
        try:
            return findings(animal)
        except subprocess.TimeoutExpired:
            return "no report in time"

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(map(str, chosen), pool.map(examined, chosen), strict=True))


def differences(
    chosen: Iterable[Animal], number: int = BUSY, jobs: int = 1, times: int = 1
) -> Iterator[list[str]]:
    """For each time, one line for each environment whose findings a busy machine changes."""
    chosen = [animal for animal in chosen if animal.python is not None]
    idle = findings_of(chosen, 1)
    for _ in range(times):
        with busy(number):
            loaded = findings_of(chosen, jobs)
        yield [
            f"{name}: {_difference(idle[name], beside)}"
            for name, beside in loaded.items()
            if beside != idle[name]
        ]


def _difference(idle: Findings | str, beside: Findings | str) -> str:
    if isinstance(idle, str) or isinstance(beside, str):
        return f"idle {idle!s:.80}, busy {beside!s:.80}"
    return f"lost {sorted(map(str, idle - beside))}, new {sorted(map(str, beside - idle))}"


def sample(codes: Collection[str] = SAMPLE) -> list[Animal]:
    """A few of the zoo."""
    return [animal for animal in animals() if animal.file.stem[:6] in codes]


@dataclass(frozen=True)
class TestRun:
    """One run of `make test`: its exit code, seconds on the wall and of CPU, and its output."""

    __test__ = False

    code: int
    wall: float
    cpu: float
    lines: tuple[str, ...]

    def __str__(self) -> str:
        how = "green" if self.code == 0 else f"exit {self.code}"
        summaries = "; ".join(filter(SUMMARY.search, self.lines)) or "pytest printed no summary"
        return f"{how}, {self.wall:.0f} s, {self.cpu:.0f} CPU s: {summaries}"


def run_tests(number: int) -> TestRun:
    """Run `make test` beside so many busy processes, whose CPU time is not counted."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    with busy(number):
        began, before = time.monotonic(), _cpu_of_children()
        done = subprocess.run(
            ["make", "test"],
            cwd=ROOT,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        wall, cpu = time.monotonic() - began, _cpu_of_children() - before
    return TestRun(done.returncode, wall, cpu, tuple(done.stdout.splitlines()))


def _cpu_of_children() -> float:
    """CPU seconds of the children that were waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _test_under_load(number: int, times: int) -> int:
    wrong = 0
    for turn in range(1, times + 1):
        run = run_tests(number)
        output = run.lines if run.code else ()
        print(*output, f"{turn} of {times}, beside {number}: {run}", sep="\n", flush=True)
        wrong += run.code != 0
    print(f"{times - wrong} of {times} green; {os.cpu_count()} cores")
    return int(wrong > 0)


def main() -> int:
    """Print what differs, or how the tests went, once for each time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tests", action="store_true", help="run the tests, not the zoo")
    parser.add_argument("--all", action="store_true", help="the whole zoo, not a sample")
    parser.add_argument("--busy", type=int, default=BUSY, help="processes beside")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="examinations at once beside them")
    parser.add_argument("names", nargs="*", help="codes, as lek001; else the sample")
    options = parser.parse_args()
    if options.tests:
        return _test_under_load(options.busy, options.times)
    chosen = animals() if options.all else sample(options.names or SAMPLE)
    wrong = 0
    print(f"{len(chosen)} environments, {options.busy} busy processes, {options.jobs} at once")
    for lines in differences(chosen, options.busy, options.jobs, options.times):
        print(f"{len(lines)} of {len(chosen)} differ", *lines, sep="\n  ", flush=True)
        wrong += len(lines)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
