"""Try mutants of the package: `python -m tests.mutants`.

Each mutant is one small fault in a function of the core. The tests have to notice at least 95 of 100.
Those that they do not notice stand in survivors.toml with the reason.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutants.drawing import Function, Mutant, draw, functions
from tests.mutants.trying import Result, Trial

ROOMS = ("rules", "verdict", "analysis", "remedies", "request")
#: It builds the rules' examples: tests are made of it.
LEFT_OUT = ("rules/engine/examples.py",)
REASONS = Path(__file__).with_name("survivors.toml")


def candidates(folders: Sequence[Path]) -> list[Function]:
    """All functions of the packages, in their order."""
    return [
        function
        for folder in folders
        for file in sorted(folder.rglob("*.py"))
        if not file.as_posix().endswith(LEFT_OUT)
        for function in functions(file, folder.name)
    ]


def chosen(arguments: argparse.Namespace) -> list[Mutant]:
    """The mutants that are asked for."""
    drawn = draw(candidates(arguments.packages), arguments.number, arguments.seed)
    return [mutant for mutant in drawn if not arguments.only or arguments.only in mutant.name]


def try_mutants(mutants: Sequence[Mutant], tests: Sequence[str], jobs: int) -> Trial:
    """Collect the tests and try the mutants."""
    trial = Trial(mutants, jobs, lambda text: print(text, file=sys.stderr, flush=True))
    options = ["-p", "no:cacheprovider", "--capture=no", "-qq", "--no-summary"]
    with contextlib.redirect_stdout(sys.stderr):
        pytest.main([*options, *tests], plugins=[trial])
    return trial


def table(results: Sequence[Result]) -> str:
    """Figures by package."""
    every, killed = (
        Counter(result.mutant.function.room for result in some)
        for some in (results, [result for result in results if result.is_killed])
    )
    rows = [f"{room:10} {killed[room]:4} of {every[room]:4} killed" for room in every]
    rate = 100 * killed.total() / every.total()
    return "\n".join(
        [*rows, f"{'all':10} {killed.total():4} of {every.total():4} killed: {rate:.1f} %"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=440, help="how many mutants (default: 440)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="those whose names hold this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    parser.add_argument("--list", action="store_true", help="list the mutants, and try none")
    parser.add_argument("--reasons", type=Path, default=REASONS, help="a file of survivors")
    parser.add_argument(
        "--packages", type=Path, nargs="+", default=[Path("envdoctor", room) for room in ROOMS]
    )
    parser.add_argument("--tests", nargs="+", default=["tests"])
    arguments = parser.parse_args()
    began = time.monotonic()
    mutants = chosen(arguments)
    if arguments.list:
        print("\n".join(map(str, mutants)))
        return 0
    trial = try_mutants(mutants, arguments.tests, arguments.jobs)
    if trial.error:
        print(trial.error)
        return 2
    reasons = tomllib.loads(arguments.reasons.read_text()) if arguments.reasons.exists() else {}
    survivors = {r.mutant.name: r for r in trial.results if not r.is_killed}
    for name, result in survivors.items():
        print(
            f"{result.outcome}: {result.mutant}\n    {result.tests} tests run it; {result.by} {reasons.get(name, 'NO REASON')}"
        )
    print(table(trial.results), f"{time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
