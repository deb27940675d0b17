"""The zoo on a busy machine: are the findings those of an idle one? `python -m tests.support.load --all`."""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.zoo import Animal, animals, examine

BUSY = 8  # processes
#: Those whose verdict time has a part in: growth, slow calls, hangs, leftovers that go late.
SAMPLE = ("lek001", "lek005", "cls005", "mak003", "hng003", "cls007")
SPINNING = [sys.executable, "-I", "-S", "-c", "while True: pass"]

Told = frozenset[tuple[str, str, str, str | None]]


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


def findings(animal: Animal) -> Told:
    """What is told of it: (code, severity, manager, start method)."""
    words = (*animal.arguments, *(animal.python or ()))
    _, document = examine(animal.spec, *words, command=animal.command)
    keys = ("code", "severity", "manager", "start_method")
    return frozenset(tuple(_text(one, key) for key in keys) for one in document["findings"])  # type: ignore[misc]


def _text(finding: dict[str, Any], key: str) -> Any:
    return finding[key]


def findings_of(chosen: Sequence[Animal], jobs: int) -> dict[str, Told | str]:
    """What is told of each, so many examined at once; a sentence where there was no report in time."""

    def examined(animal: Animal) -> Told | str:
        try:
            return findings(animal)
        except subprocess.TimeoutExpired:
            return "no report in time"

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(map(str, chosen), pool.map(examined, chosen), strict=True))


def differences(
    chosen: Iterable[Animal], number: int = BUSY, jobs: int = 1, times: int = 1
) -> Iterator[list[str]]:
    """For each time one line for each environment of which a busy machine tells something else."""
    chosen = [animal for animal in chosen if animal.python is not None]
    idle = findings_of(chosen, 1)
    for _ in range(times):
        with busy(number):
            loaded = findings_of(chosen, jobs)
        yield [
            f"{name}: {_difference(idle[name], told)}"
            for name, told in loaded.items()
            if told != idle[name]
        ]


def _difference(idle: Told | str, told: Told | str) -> str:
    if isinstance(idle, str) or isinstance(told, str):
        return f"idle {idle!s:.80}, busy {told!s:.80}"
    return f"lost {sorted(map(str, idle - told))}, new {sorted(map(str, told - idle))}"


def sample(codes: Collection[str] = SAMPLE) -> list[Animal]:
    """A few of the zoo."""
    return [animal for animal in animals() if animal.file.stem[:6] in codes]


def main() -> int:
    """Print what differs, once for each time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="the whole zoo, not a sample")
    parser.add_argument("--busy", type=int, default=BUSY, help="processes beside")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="examinations at once beside them")
    parser.add_argument("names", nargs="*", help="codes, as lek001; else the sample")
    options = parser.parse_args()
    chosen = animals() if options.all else sample(options.names or SAMPLE)
    wrong = 0
    print(f"{len(chosen)} environments, {options.busy} busy processes, {options.jobs} at once")
    for found in differences(chosen, options.busy, options.jobs, options.times):
        print(f"{len(found)} of {len(chosen)} differ", *found, sep="\n  ", flush=True)
        wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
