"""The cost of a verdict: CPU and wall seconds of `check`, as ratios to a bare script of that run.

    python benchmarks/verdicts.py [ROW ...] [--times N] [--python PATH]

A row is one examination. "bare" is bare.py for the same environment in the same interpreter.
"warm" is `check` as it is, "cold" is `check --cold`, which plays every scenario in a fresh process;
where that option does not exist there is no such column. Bare, warm and cold take turns, and the
best of --times counts: other work on the machine only adds. Remedies are tried, as by default.
A goal is a ratio of CPU seconds. That of `hang` is in wall seconds, because it waits for clocks. It
prints a table, and always exits with 0.

CPU seconds are user and system time of the whole process tree. Each program is run below a process
of this file that is a subreaper: what loses its parent, or leaves its session, becomes its child.
It waits until no child is left, so that the kernel has added the times of all that ended to
RUSAGE_CHILDREN. Only what still runs LEFT seconds after the program ended is killed, counted as far
as it got, and named below the table. Not counted are children of processes that ignore SIGCHLD,
whose times the kernel forgets; no row has any. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table
from speed import with_bytecode

ROOT = Path(__file__).parents[1]
BARE = str(Path(__file__).with_name("bare.py"))
ENVDOCTOR = str(Path(sys.executable).with_name("envdoctor"))
FRAMEWORKS = str(ROOT / ".interpreters" / "frameworks" / "bin" / "python")
LEFT = 5.0  # seconds that descendants have to end after the program
POLL = 0.02  # seconds
LONGEST = 1200.0  # seconds
PR_SET_CHILD_SUBREAPER = 36
MEASURE = "--measure"  # how this file is started as the subreaper

LIFT = str(ROOT / "benchmarks" / "envs" / "lift.py")
DING = ("--managers", "direct,ding-base,ding-subproc")


@dataclass(frozen=True)
class Row:
    """An examination. `most` is how many times the CPU seconds of bare it may take, `wall` how many
    wall seconds. With `frameworks` it is played in the interpreter that has them. Where close()
    `hangs`, bare does without.
    """

    title: str
    spec: str
    words: tuple[str, ...] = ()
    most: float | None = None
    wall: float | None = None
    frameworks: bool = False
    hangs: bool = False


ROWS = {
    "ding-forgets": Row(
        "DI-engine, close() forgets its controller", f"{LIFT}:Forgetful", DING, 7, frameworks=True
    ),
    "ding-healthy": Row("DI-engine, healthy", f"{LIFT}:Lift", DING, frameworks=True),
    "illnesses": Row(
        "twelve illnesses, default managers", f"{ROOT}/tests/remedies/envs/crane.py:Crane", most=74
    ),
    "arm": Row("demo Arm, direct", "envdoctor.demo:Arm", ("--managers", "direct"), 27),
    "cartpole-sb3": Row("CartPole-v1, SB3 installed", "CartPole-v1", most=32, frameworks=True),
    "cartpole": Row("CartPole-v1, no framework", "CartPole-v1", most=11),
    "hang": Row(
        "close() hangs in C", f"{ROOT}/tests/envs/hanging.py:CloseBlocksInC", wall=45, hangs=True
    ),
}


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU and of wall time, and the descendants that had to be ended."""

    cpu: float
    wall: float
    left: tuple[str, ...] = ()


def measure(words: list[str]) -> Cost:
    """Run a program below a subreaper. Raises RuntimeError where it fails."""
    with tempfile.TemporaryFile() as stderr:
        done = subprocess.run(
            [sys.executable, __file__, MEASURE, *words],
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=with_bytecode(),
            cwd=ROOT,
            timeout=LONGEST,
            check=False,
        )
        stderr.seek(0)
        errors = stderr.read().decode(errors="replace")
    answer = json.loads(done.stdout)
    if answer["code"] not in (0, 1):  # 1: findings
        raise RuntimeError(f"{' '.join(words)} exited with {answer['code']}: {errors[-2000:]}")
    return Cost(answer["cpu"], answer["wall"], tuple(answer["left"]))


def subreaper(words: list[str]) -> None:
    """Run a program, wait for all of its tree, and print what it took."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")
    began = time.monotonic()
    program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    code = program.wait()
    wall = time.monotonic() - began
    until = time.monotonic() + LEFT
    while reap() and time.monotonic() < until:
        time.sleep(POLL)
    left = []
    while children := psutil.Process().children():  # those of what is ended become children
        for child in children:
            left.append(" ".join(child.cmdline()) or child.name())
            child.send_signal(signal.SIGKILL)
        os.waitpid(-1, 0)
        reap()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    json.dump(
        {"code": code, "cpu": used.ru_utime + used.ru_stime, "wall": wall, "left": left},
        sys.stdout,
    )


def reap() -> bool:
    """Wait for every child that ended; True while one runs."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def best(costs: list[Cost]) -> Cost:
    """The least of each: they need not be of one run."""
    left = tuple(dict.fromkeys(line for cost in costs for line in cost.left))
    return Cost(min(cost.cpu for cost in costs), min(cost.wall for cost in costs), left)


def compare(row: Row, python: str, is_cold_known: bool, times: int) -> dict[str, Cost]:
    """The best costs of bare, warm and cold, which take turns."""
    check = [ENVDOCTOR, "check", row.spec, *row.words, "--no-config"]
    check += ["--python", python] if python != sys.executable else []
    ways = {"bare": [python, BARE, row.spec, *(["--no-close"] if row.hangs else [])], "warm": check}
    if is_cold_known:
        ways["cold"] = [*check, "--cold"]
    measured: dict[str, list[Cost]] = {way: [] for way in ways}
    for _ in range(times):
        for way, words in ways.items():
            measured[way].append(measure(words))
    return {way: best(costs) for way, costs in measured.items()}


def cells(row: Row, costs: dict[str, Cost]) -> list[str]:
    """The cells of a row: bare, the ratios of each way, and the goal."""
    bare, warm = costs["bare"], costs["warm"]
    ratios = [
        f"{ours:.1f} = {ours / theirs:.1f} bare"
        for way, cost in costs.items()
        if way != "bare"
        for ours, theirs in ((cost.cpu, bare.cpu), (cost.wall, bare.wall))
    ]
    goal, verdict = "", ""
    if row.most is not None:
        goal, is_met = f"CPU <= {row.most:g} bare", warm.cpu <= row.most * bare.cpu
        verdict = "ok" if is_met else "missed"
    elif row.wall is not None:
        goal, verdict = f"wall <= {row.wall:g} s", "ok" if warm.wall <= row.wall else "missed"
    return [row.title, f"{bare.cpu:.2f} / {bare.wall:.2f}", *ratios, goal, verdict]


def knows_cold() -> bool:
    """True where `check` has the option --cold."""
    text = subprocess.run([ENVDOCTOR, "check", "--help"], capture_output=True, check=True).stdout
    return b"--cold" in text


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(ROWS)} (all of them)")
    parser.add_argument("--times", type=int, default=3, metavar="N", help="the best of N (3)")
    parser.add_argument("--warm", action="store_true", help="leave `check --cold` out")
    parser.add_argument(
        "--python",
        default=FRAMEWORKS,
        metavar="PATH",
        help="the interpreter that has the frameworks (.interpreters/frameworks)",
    )
    options = parser.parse_args()
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        parser.error(f"unknown row {unknown[0]!r}: expected {', '.join(ROWS)}")
    console = Console()
    is_cold_known = not options.warm and knows_cold()
    cold = ["CPU s, cold", "wall s, cold"] if is_cold_known else []
    table = Table("examination", "bare: CPU / wall s", "CPU s", "wall s", *cold, "goal", "")
    notes = []
    for name in options.rows or ROWS:
        row = ROWS[name]
        python = options.python if row.frameworks else sys.executable
        if not Path(python).exists():
            notes.append(f"{name} is left out: there is no interpreter {python}")
            continue
        costs = compare(row, python, is_cold_known, options.times)
        table.add_row(*cells(row, costs))
        print(f"{name}: {costs['warm'].cpu:.1f} s of CPU", file=sys.stderr, flush=True)
        notes += [
            f"{name}, {way}: left {line!r}" for way, cost in costs.items() for line in cost.left
        ]
    console.print(table)
    for note in notes:
        console.print(note)


if __name__ == "__main__":
    subreaper(sys.argv[2:]) if sys.argv[1:2] == [MEASURE] else main()
