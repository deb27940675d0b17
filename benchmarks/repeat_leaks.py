"""How often `envdoctor leak` finds what leaks and leaves alone what does not: `repeat_leaks.py
[--runs N] [NAME ...]`.

Each environment of tests/envs/leaks.py, and healthy ones of Gymnasium's, is checked N times (20)
through the installed command. It prints the counts, and always exits with 0: it is a benchmark, no
test.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

ENVS = Path(__file__).parents[1] / "tests" / "envs"
ENVDOCTOR = str(Path(sys.executable).with_name("envdoctor"))

LEAKS = (
    "PyObject",
    "Bytes",
    "Array",
    "Malloc1K",
    "Malloc24",
    "Mmap64K",
    "Descriptor",
    "Thread",
    "Sparse",
    "InStep",
    "Retained",
)
HEALTHY = ("Clean", "Plateau", "SlowPlateau", "Lru", "Cycle", "Bounded")
GYMNASIUM = (
    "CartPole-v1",
    "FrozenLake-v1",
    "CliffWalking-v1",
    "Acrobot-v1",
    "Blackjack-v1",
    "Pendulum-v1",
    "MountainCar-v0",
    "Taxi-v4",
    "HalfCheetah-v5",
)

LEAK, FILLING, NONE, LOST = "leak", "still filling", "no growth", "no verdict"


@dataclass
class Tally:
    """What was said of one environment, and the seconds of each whole command."""

    said: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


def leak_check(spec: str, *arguments: str) -> tuple[str, float]:
    """The verdict on one environment, and the seconds that the whole command took."""
    began = time.perf_counter()
    done = subprocess.run(
        [ENVDOCTOR, "leak", spec, *arguments, "--format", "json"],
        cwd=ENVS,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    return (verdict(json.loads(done.stdout)) if done.stdout else LOST), seconds


def verdict(document: dict) -> str:
    """What a report says of growth."""
    growth = [finding for finding in document["findings"] if finding["code"].startswith("LEK")]
    retained = any(
        (finding["code"], finding["severity"]) == ("CLS012", "error")
        for finding in document["findings"]
    )
    told = {finding["severity"] for finding in growth}
    if retained or told - {"note"}:
        return LEAK
    if not any(
        growth["blocks"] for subject in document["subjects"] for growth in subject["growth"]
    ):
        return LOST
    return FILLING if told else NONE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--runs", type=int, default=20, metavar="N", help="how often each one is checked (20)"
    )
    parser.add_argument(
        "--python",
        default=sys.executable,
        metavar="PATH",
        help="the interpreter that has the environments (this one)",
    )
    parser.add_argument("names", nargs="*", help="only these")
    options = parser.parse_args()
    wanted = {
        **{name: f"leaks.py:{name}" for name in (*LEAKS, *HEALTHY)},
        **{name: name for name in GYMNASIUM},
    }
    names = options.names or list(wanted)
    tallies = {name: Tally() for name in names}
    for _ in range(options.runs):  # in turns, so that a busy minute of the machine is shared by all
        for name in names:
            said, seconds = leak_check(wanted.get(name, name), "--python", options.python)
            tallies[name].said[said] += 1
            tallies[name].seconds.append(seconds)
    show(tallies, options.runs)


def show(tallies: dict[str, Tally], runs: int) -> None:
    table = Table("environment", "leaks?", LEAK, FILLING, NONE, LOST, "median seconds", "")
    for name, tally in tallies.items():
        leaks = name in LEAKS
        errors = runs - tally.said[LEAK] if leaks else tally.said[LEAK] + tally.said[LOST]
        counts = [str(tally.said[kind]) for kind in (LEAK, FILLING, NONE, LOST)]
        table.add_row(
            name,
            "yes" if leaks else "no",
            *counts,
            f"{statistics.median(tally.seconds):.2f}",
            "ok" if not errors else f"{errors} wrong",
        )
    console = Console(width=None if sys.stdout.isatty() else 150)
    console.print(table)
    found = sum(tally.said[LEAK] for name, tally in tallies.items() if name in LEAKS)
    accused = sum(tally.said[LEAK] for name, tally in tallies.items() if name not in LEAKS)
    sick = sum(name in LEAKS for name in tallies)
    judged = sum(runs - tally.said[LOST] for name, tally in tallies.items() if name not in LEAKS)
    console.print(f"leaks found: {found} of {runs * sick}; healthy accused: {accused} of {judged}")


if __name__ == "__main__":
    main()
