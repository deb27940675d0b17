"""The zoo on a busy machine: are the findings those of an idle one? `python -m tests.load --all`."""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from tests.zoo import Animal, animals, examine

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


def differences(chosen: Iterable[Animal], number: int = BUSY) -> list[str]:
    """One line for each environment of which a busy machine tells something else."""
    chosen = [animal for animal in chosen if animal.python is not None]
    idle = {str(animal): findings(animal) for animal in chosen}
    found = []
    with busy(number):
        for animal in chosen:
            told = findings(animal)
            if told != idle[str(animal)]:
                lost, new = idle[str(animal)] - told, told - idle[str(animal)]
                found.append(
                    f"{animal}: lost {sorted(map(str, lost))}, new {sorted(map(str, new))}"
                )
    return found


def sample() -> list[Animal]:
    """A few of the zoo."""
    return [animal for animal in animals() if animal.file.stem[:6] in SAMPLE]


def main() -> int:
    """Print what differs, once for each time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="the whole zoo, not a sample")
    parser.add_argument("--busy", type=int, default=BUSY, help="processes beside")
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    chosen = animals() if options.all else sample()
    wrong = 0
    for time in range(1, options.times + 1):
        found = differences(chosen, options.busy)
        print(f"{time}: {len(found)} of {len(chosen)} differ", *found, sep="\n  ", flush=True)
        wrong += len(found)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
