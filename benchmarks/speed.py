"""Speed, as ratios of two things measured side by side in one run, so that the machine cancels out:
`speed.py [--pairs N]`.

It prints one table, says which targets are missed, and always exits with 0: it is a benchmark, no
test.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gymnasium
from gymnasium.vector import AsyncVectorEnv
from rich.console import Console
from rich.table import Table

from envdoctor.model.subject import ID, Subject
from envdoctor.probe.tracing.instrument import Factory

ENVIRONMENT = "CartPole-v1"
ENVDOCTOR = str(Path(sys.executable).with_name("envdoctor"))
PLAIN = str(Path(__file__).with_name("plain.py"))
WORKERS = str(Path(__file__).with_name("workers.py"))
# Pairs of blocks of steps for each of --pairs: a block is short, so that both sides see the same
# machine.
BLOCKS = 60
#: Steps a block. Where processes take turns a step takes ten times as long or not at all: a block
#: has to hold many.
DIRECT_STEPS, ASYNC_STEPS = 500, 400
ASYNC_BLOCKS = 12

Measure = Callable[[], float]


@dataclass(frozen=True)
class Row:
    """A comparison: `ours` and `theirs` were measured alternately; `target` is what ours /
    theirs may be at most or at least.
    """

    what: str
    ours: list[float]
    theirs: list[float]
    unit: str
    target: float
    at_most: bool

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    @property
    def is_met(self) -> bool:
        ratio = statistics.median(self.ratios)
        return ratio <= self.target if self.at_most else ratio >= self.target

    def cells(self) -> tuple[str, ...]:
        ratios, ours, theirs = (
            self.ratios,
            statistics.median(self.ours),
            statistics.median(self.theirs),
        )
        return (
            self.what,
            f"{statistics.median(ratios):.2f} [{min(ratios):.2f}..{max(ratios):.2f}]",
            f"at {'most' if self.at_most else 'least'} {self.target:g}",
            "ok" if self.is_met else "missed",
            f"{ours:,.0f} / {theirs:,.0f} {self.unit}",
        )


def alternate(ours: Measure, theirs: Measure, pairs: int) -> tuple[list[float], list[float]]:
    """A B A B ..., after one of each that does not count: the first one reads from the disk."""
    ours(), theirs()
    measured = [(ours(), theirs()) for _ in range(pairs)]
    return [pair[0] for pair in measured], [pair[1] for pair in measured]


def wall(*words: str) -> float:
    """Milliseconds that a program takes."""
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=with_bytecode())
    return (time.perf_counter() - began) * 1000


def with_bytecode() -> dict[str, str]:
    """An installed envdoctor has its bytecode, as its dependencies have. A checkout gets it in the
    run that does not count; some images forbid that with a variable.
    """
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def rate(step: Callable[[], None], steps: int) -> float:
    """Steps a second over one block."""
    began = time.perf_counter()
    for _ in range(steps):
        step()
    return steps / (time.perf_counter() - began)


def start(pairs: int) -> Row:
    measured = alternate(
        lambda: wall(ENVDOCTOR, "--help"), lambda: wall(sys.executable, "-c", "import typer"), pairs
    )
    return Row('envdoctor --help / python -c "import typer"', *measured, "ms", 2, at_most=True)


def check(pairs: int, python: str = sys.executable, *options: str, target: float = 2) -> Row:
    words = [
        ENVDOCTOR,
        "check",
        ENVIRONMENT,
        *options,
        *(["--python", python] if python != sys.executable else []),
    ]
    report = subprocess.run([*words, "--format", "json"], check=True, capture_output=True).stdout
    told = ("name", "script", "manager", "start_method", "workers", "options")
    scenarios = json.dumps(
        [{key: scenario[key] for key in told} for scenario in json.loads(report)["scenarios"]]
    )
    measured = alternate(
        lambda: wall(*words), lambda: wall(python, PLAIN, ENVIRONMENT, scenarios), pairs
    )
    what = " ".join(["envdoctor check", ENVIRONMENT, *options])
    return Row(
        f"{what} / the same scenarios in a plain script", *measured, "ms", target, at_most=True
    )


def check_with_sb3(pairs: int, python: str) -> Row:
    """All that `check` does by default, against two launches."""
    measured = alternate(
        lambda: wall(ENVDOCTOR, "check", ENVIRONMENT, "--python", python),
        lambda: wall(python, WORKERS, ENVIRONMENT),
        pairs,
    )
    what = f"envdoctor check {ENVIRONMENT} with SB3 / SubprocVecEnv once by fork, once by spawn"
    return Row(what, *measured, "ms", 2.5, at_most=True)


def with_sb3(python: str) -> bool:
    """Whether an interpreter has Stable-Baselines3."""
    return (
        subprocess.run(
            [python, "-c", "import stable_baselines3"], check=False, capture_output=True
        ).returncode
        == 0
    )


def direct_steps(traced: Factory, pairs: int) -> Row:
    ours, theirs = driven(traced()), driven(gymnasium.make(ENVIRONMENT))
    measured = alternate(
        lambda: rate(ours, DIRECT_STEPS), lambda: rate(theirs, DIRECT_STEPS), pairs * BLOCKS
    )
    return Row("step rate, traced / bare, no manager", *measured, "steps/s", 0.95, at_most=False)


def driven(env: gymnasium.Env) -> Callable[[], None]:
    """A step of a training loop: it resets when an episode ends."""
    env.reset(seed=0)
    env.action_space.seed(0)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()

    return step


def async_steps(traced: Factory, pairs: int) -> Row:
    ours, theirs = (
        AsyncVectorEnv([traced] * 2),
        AsyncVectorEnv([functools.partial(gymnasium.make, ENVIRONMENT)] * 2),
    )
    try:
        drives = [driven_together(vector) for vector in (ours, theirs)]
        measured = alternate(
            *(functools.partial(rate, drive, ASYNC_STEPS) for drive in drives), pairs * ASYNC_BLOCKS
        )
    finally:
        ours.close()
        theirs.close()
    return Row(
        "step rate, traced / bare, AsyncVectorEnv of 2", *measured, "steps/s", 0.95, at_most=False
    )


def driven_together(vector: AsyncVectorEnv) -> Callable[[], None]:
    vector.reset(seed=0)
    vector.action_space.seed(0)
    return lambda: vector.step(vector.action_space.sample()) and None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pairs", type=int, default=7, metavar="N", help="how often each pair is measured (7)"
    )
    parser.add_argument(
        "--sb3",
        default=sys.executable,
        metavar="PYTHON",
        help="an interpreter that has Stable-Baselines3 (this one)",
    )
    options = parser.parse_args()
    pairs = options.pairs
    with tempfile.TemporaryDirectory() as folder:
        traced = Factory(Subject(ENVIRONMENT, ID, name=ENVIRONMENT), str(Path(folder, "journal")))
        rows = [start(pairs), check(pairs), direct_steps(traced, pairs), async_steps(traced, pairs)]
    if with_sb3(options.sb3):
        rows.append(check_with_sb3(pairs, options.sb3))
        rows.append(
            check(pairs, options.sb3, "--managers", "gymnasium-async,sb3-subproc", target=1.5)
        )
    table = Table("what", "ratio: median [min..max]", "target", "", "medians")
    for row in rows:
        table.add_row(*row.cells())
    console = Console()
    console.print(table)
    missed = sum(not row.is_met for row in rows)
    console.print(f"missed: {missed} of {len(rows)} targets" if missed else "every target is met")


if __name__ == "__main__":
    main()
