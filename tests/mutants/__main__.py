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
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.mutants.drawing import Function, Mutant, draw, functions
from tests.mutants.trying import CPU_SECONDS, Result, Trial

ROOMS = ("rules", "verdict", "analysis", "remedies", "request")
#: It builds the rules' examples: tests are made of it.
LEFT_OUT = ("rules/engine/examples.py",)
#: Where tests are that start no process. The harness sees which of them do; elsewhere nearly all do,
#: and to find that out for each of them takes long.
TESTS = (
    *ROOMS,
    *("config", "model", "plan", "recorded", "reporters", "saved", "watch"),
    "shapes/test_given_functions.py",
)
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
    only = arguments.only or [""]
    return [mutant for mutant in drawn if any(text in mutant.name for text in only)]


def try_mutants(mutants: Sequence[Mutant], arguments: argparse.Namespace) -> Trial:
    """Collect the tests and try the mutants."""
    trial = Trial(mutants, arguments.jobs, _tell, arguments.cpu_seconds)
    options = ["-p", "no:cacheprovider", "--capture=no", "-qq", "--no-summary"]
    with contextlib.redirect_stdout(sys.stderr):
        pytest.main([*options, *arguments.tests], plugins=[trial])
    return trial


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def table(results: Sequence[Result]) -> str:
    """Figures by package."""
    every = Counter(result.mutant.function.room for result in results)
    killed = Counter(result.mutant.function.room for result in results if result.is_killed)
    rows = [(room, killed[room], count) for room, count in every.items()]
    rows.append(("all", killed.total(), every.total()))
    return "\n".join(
        f"{room:10} {part:4} of {count:4} killed, {100 * part / count:.1f} %"
        for room, part, count in rows
    )


def complaints(results: Sequence[Result], reasons: dict[str, str], least: float) -> Iterator[str]:
    """Yield the faults of the results: too few killed, or a survivor and its reason do not match."""
    survivors = {result.mutant.name: result for result in results if not result.is_killed}
    for name, result in survivors.items():
        if name not in reasons:
            yield (
                f"{result.outcome}: {result.mutant}\n    {result.tests} tests run it {result.note}"
            )
    tried = {result.mutant.name for result in results}
    yield from (
        f"has a reason, and is not a survivor: {name}"
        for name in reasons
        if name not in survivors and name in tried
    )
    if len(survivors) > (1 - least / 100) * len(results):
        yield f"fewer than {least:g} % are killed"


def main() -> int:
    """Draw mutants, try them, and print the figures and what is wrong with them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=440, help="how many mutants (default: 440)")
    parser.add_argument("--seed", type=int, default=1, help="which of them (default: 1)")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="those whose names hold a text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cpu-seconds", type=float, default=CPU_SECONDS, help="a test may take")
    parser.add_argument("--least", type=float, default=95.0, metavar="PERCENT")
    parser.add_argument("--list", action="store_true", help="list the mutants, and try none")
    parser.add_argument("--reasons", type=Path, default=REASONS, help="why mutants survive")
    parser.add_argument(
        "--packages", type=Path, nargs="+", default=[Path("envdoctor", room) for room in ROOMS]
    )
    parser.add_argument("--tests", nargs="+", default=[f"tests/{path}" for path in TESTS])
    arguments = parser.parse_args()
    began = time.monotonic()
    mutants = chosen(arguments)
    if arguments.list:
        print("\n".join(map(str, mutants)))
        return 0
    trial = try_mutants(mutants, arguments)
    if trial.error:
        print(trial.error)
        return 2
    reasons = tomllib.loads(arguments.reasons.read_text(encoding="utf-8"))
    wrong = list(complaints(trial.results, reasons, arguments.least))
    print("\n".join([*wrong, table(trial.results)]))
    print(f"{len(mutants)} mutants, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
