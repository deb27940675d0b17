"""Detectors of leaks beside each other, on the same environments in one run: `detectors.py [--pairs
N]`.

Eleven environments of tests/envs/leaks.py leak and six do not. Each detector judges each of them in
a fresh interpreter; what is timed is the time to its verdict, without start-up and imports, and for
envdoctor the whole command, too. Then it is asked for the smallest leak that it still sees. psleak
and objgraph have to be installed (the dependency group `bench`); a detector that is not is left
out, and said so.

It prints two tables, says which targets are missed, and always exits with 0: it is a benchmark, no
test.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from repeat_leaks import ENVDOCTOR, ENVS, HEALTHY, LEAKS, verdict

from envdoctor.plan.leak_check import EPISODES

PATIENCE = 300.0  # seconds for one verdict

#: As it is installed: compiled once, not at every start.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
WARM, STEPS = 10, 20
OWN = ("envdoctor", "thorough")  # detectors that are envdoctor itself
Cycle = Callable[[], None]

#: Leaks that get smaller: (words, class, keyword, value).
SPARSE = tuple(
    (f"1 object in {every} cycles", "Sparse", "every", every) for every in (1, 5, 10, 25, 50)
)
SMALL = tuple((f"{size} B of malloc", "Malloc", "size", size) for size in (1024, 100, 24, 8))

# The detectors. Each one is handed the cycle and says whether it leaks.


def psleak(cycle: Cycle) -> bool:
    """With its defaults, as a unit test would call it."""
    import psleak as library

    case = library.MemoryLeakTestCase()
    try:
        case.execute(cycle)
    except library.Error:
        return True
    return False


def objgraph(cycle: Cycle) -> bool:
    """A type that grew in each of three rounds of seven cycles."""
    import objgraph as library

    repeat(cycle, WARM)
    library.growth(limit=None)
    rounds = []
    for _ in range(3):
        repeat(cycle, 7)
        rounds.append({name for name, *_ in library.growth(limit=None)})
    return bool(set.intersection(*rounds))


def tracemalloc_diff(cycle: Cycle) -> bool:
    """A line that keeps an object of nearly every cycle."""
    import tracemalloc as library

    library.start()
    repeat(cycle, WARM)
    before = take(library)
    repeat(cycle, 100)
    return any(line.count_diff >= 90 for line in take(library).compare_to(before, "lineno"))


def take(library) -> object:
    gc.collect()
    return library.take_snapshot().filter_traces([library.Filter(False, library.__file__)])


def memray_alone(cycle: Cycle) -> bool:
    """A call stack that keeps an allocation of nearly every cycle."""
    import memray as library

    repeat(cycle, WARM)
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "memray.bin")
        with library.Tracker(file, trace_python_allocators=True):
            repeat(cycle, 101)
            gc.collect()
        with library.FileReader(file) as reader:
            return any(
                record.n_allocations >= 0.9 * 101
                for record in reader.get_leaked_allocation_records(merge_threads=True)
            )


def rss_slope(cycle: Cycle) -> bool:
    """A line through resident memory over 200 cycles that rises, p < 0.01."""
    import psutil as library

    process, memory = library.Process(), []
    repeat(cycle, WARM)
    for _ in range(200):
        cycle()
        memory.append(process.memory_info().rss)
    return rises(memory)


def rises(values: list[int]) -> bool:
    """Whether the slope of least squares is above zero, one-sided t-test at 0.01 for about 200
    values.
    """
    number, middle = len(values), (len(values) - 1) / 2
    mean = statistics.fmean(values)
    square = sum((at - middle) ** 2 for at in range(number))
    slope = sum((at - middle) * (value - mean) for at, value in enumerate(values)) / square
    rest = sum((value - mean - slope * (at - middle)) ** 2 for at, value in enumerate(values))
    error = math.sqrt(rest / (number - 2) / square)
    return slope > 2.345 * error


def repeat(cycle: Cycle, times: int) -> None:
    for _ in range(times):
        cycle()


DETECTORS = {
    "psleak": psleak,
    "objgraph": objgraph,
    "tracemalloc": tracemalloc_diff,
    "memray": memray_alone,
    "rss": rss_slope,
}
TITLES = {
    "envdoctor": "envdoctor leak",
    "thorough": "envdoctor leak --thorough",
    "psleak": "psleak, defaults",
    "objgraph": "objgraph growth, 3 x 7",
    "tracemalloc": "tracemalloc diff",
    "memray": "memray alone, 101 cycles",
    "rss": "RSS slope, 200 cycles",
}
# Psleak refuses to run without.
ASKED_FOR = {"psleak": {"PYTHONMALLOC": "malloc", "PYTHONUNBUFFERED": "1"}}


@dataclass(frozen=True)
class Verdict:
    """Whether it was called a leak; seconds to the verdict, and of the whole command where it
    is one. None: it failed.
    """

    leaks: bool | None
    seconds: float = 0.0
    command: float = 0.0


def cycles_of(name: str, keyword: str = "", value: int = 0) -> Cycle:
    """One cycle of an environment of tests/envs/leaks.py, wrapped as gymnasium.make would, or
    of a registered one.
    """
    sys.path.insert(0, str(ENVS))
    import gymnasium
    import leaks
    from gymnasium.wrappers import OrderEnforcing, TimeLimit

    build, keywords = getattr(leaks, name, None), {keyword: value} if keyword else {}

    def cycle() -> None:
        env = TimeLimit(OrderEnforcing(build(**keywords)), 100) if build else gymnasium.make(name)
        env.reset(seed=0)
        ended = False
        for step in range(STEPS):
            if ended:
                env.reset()
            _, _, terminated, truncated, _ = env.step(step % 2)
            ended = terminated or truncated
        env.close()

    return cycle


def judge_here(detector: str, *case: str) -> None:
    """In an interpreter of its own: the verdict of one detector, as JSON on the last line."""
    name, keyword, value = (*case, "", "0")[:3]
    cycle = cycles_of(name, keyword, int(value))
    importlib.import_module(detector if detector != "rss" else "psutil")
    began = time.perf_counter()
    leaks = DETECTORS[detector](cycle)
    print("\n" + json.dumps({"leaks": leaks, "seconds": time.perf_counter() - began}), flush=True)
    os._exit(0)  # leaked threads would keep it


def judge(detector: str, name: str, keyword: str = "", value: int = 0) -> Verdict:
    """The verdict of a detector on one environment."""
    if detector in OWN:
        return judge_with_envdoctor(
            name, keyword, value, *(["--thorough"] if detector == "thorough" else [])
        )
    words = [
        sys.executable,
        __file__,
        "--judge",
        detector,
        name,
        *([keyword, str(value)] if keyword else []),
    ]
    environment = {**ENVIRONMENT, **ASKED_FOR.get(detector, {})}
    try:
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        told = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, json.JSONDecodeError):
        return Verdict(None)
    return Verdict(told["leaks"], told["seconds"])


def judge_with_envdoctor(name: str, keyword: str, value: int, *arguments: str) -> Verdict:
    began = time.perf_counter()
    options = ["-k", f"{keyword}={value}"] if keyword else []
    words = [
        ENVDOCTOR,
        "leak",
        f"leaks.py:{name}" if name.isalnum() else name,
        *options,
        *arguments,
        "--format",
        "json",
    ]
    done = subprocess.run(
        words,
        cwd=ENVS,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    command = time.perf_counter() - began
    document = json.loads(done.stdout)
    # What follows these explains, and decides nothing.
    needed = ("leak-warm", "leak", "leak-open", "leak-episodes")
    seconds = sum(
        scenario["seconds"] for scenario in document["scenarios"] if scenario["name"] in needed
    )
    return Verdict(verdict(document) == "leak", seconds, command)


@dataclass
class Row:
    """What one detector said."""

    name: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    smallest: list[str] = field(default_factory=list)

    def judge_all(self) -> None:
        for name in (*LEAKS, *HEALTHY):
            self.verdicts[name] = judge(self.name, name)
        self.smallest = [smallest_seen(self.name, ladder) for ladder in (SPARSE, SMALL)]

    @property
    def found(self) -> list[str]:
        return [name for name in LEAKS if self.verdicts[name].leaks]

    @property
    def false(self) -> list[str]:
        return [name for name in HEALTHY if self.verdicts[name].leaks]

    def median(self, names: tuple[str, ...], what: str = "seconds") -> float:
        """Of the verdicts that are right on these environments: a wrong one costs nothing."""
        right = [
            getattr(self.verdicts[name], what)
            for name in names
            if self.verdicts[name].leaks is (name in LEAKS)
        ]
        return statistics.median(right) if right else math.nan

    def cells(self) -> tuple[str, ...]:
        missed = [name for name in LEAKS if name not in self.found]
        commands = [
            (f" ({self.median(names, 'command'):.1f})" if self.name in OWN else "")
            for names in (HEALTHY, LEAKS)
        ]
        return (
            TITLES[self.name],
            f"{len(self.found)} of {len(LEAKS)}" + (f"; not {', '.join(missed)}" if missed else ""),
            f"{len(self.false)} of {len(HEALTHY)}"
            + (f": {', '.join(self.false)}" if self.false else ""),
            f"{self.median(HEALTHY):.2f}{commands[0]}",
            f"{self.median(LEAKS):.2f}{commands[1]}",
            *self.smallest,
        )


def smallest_seen(detector: str, ladder: tuple[tuple[str, str, str, int], ...]) -> str:
    """The last rung that is called a leak."""
    seen = "none"
    for words, name, keyword, value in ladder:
        if not judge(detector, name, keyword, value).leaks:
            break
        seen = words
    return seen


def is_installed(detector: str) -> bool:
    return (
        detector in ("envdoctor", "thorough", "rss")
        or importlib.util.find_spec(detector) is not None
    )


# The targets.

BARE = """
import gymnasium

def play(env):
    env.reset(seed=0)
    ended = False
    for step in range({steps}):
        if ended:
            env.reset()
        _, _, terminated, truncated, _ = env.step(step % 2)
        ended = terminated or truncated

for _ in range({cycles}):
    env = gymnasium.make("CartPole-v1")
    play(env)
    env.close()
env = gymnasium.make("CartPole-v1")
for _ in range({episodes}):
    play(env)
env.close()
"""

OWN_MEMORY = """
import atexit, resource, sys
usage = lambda: resource.getrusage(resource.RUSAGE_SELF)
atexit.register(lambda: sys.stderr.write("\\n%d\\n" % usage().ru_maxrss))
sys.argv = ["envdoctor", *sys.argv[1:]]
from envdoctor.cli.start import main
main()
"""


def wall(*words: str) -> float:
    began = time.perf_counter()
    subprocess.run(
        words,
        check=False,
        cwd=ENVS,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - began


def whole_command(pairs: int) -> float:
    """`envdoctor leak CartPole-v1` against a bare interpreter that imports gymnasium and runs
    as many cycles; measured in turns.
    """
    shown = subprocess.run(
        [ENVDOCTOR, "leak", "CartPole-v1", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    cycles = json.loads(shown.stdout)["subjects"][0]["growth"][0]["cycles"] + 3
    bare = BARE.format(cycles=cycles, episodes=sum(EPISODES) + 3, steps=STEPS)  # warm ones, too
    ratios = [
        wall(ENVDOCTOR, "leak", "CartPole-v1") / wall(sys.executable, "-c", bare)
        for _ in range(pairs + 1)
    ]
    return statistics.median(ratios[1:])


def long_leak_check(cycles: int) -> tuple[float, int]:
    """(seconds a cycle, the doctor's own memory in KB) of a leak check that goes on for so long,
    because something leaks.
    """
    words = [
        "leak",
        "leaks.py:PyObject",
        "--cycles",
        str(cycles),
        "--time-budget",
        "240",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [sys.executable, "-c", OWN_MEMORY, *words],
        cwd=ENVS,
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(done.stdout)
    seconds = sum(
        scenario["seconds"] for scenario in document["scenarios"] if scenario["name"] == "leak"
    )
    return seconds / document["subjects"][0]["growth"][0]["cycles"], int(
        done.stderr.splitlines()[-1]
    )


def targets(rows: dict[str, Row], pairs: int) -> Iterator[tuple[str, str, str, bool]]:
    """(what, measured, target, met)."""
    ours = rows["envdoctor"]
    yield "leaks found", f"{len(ours.found)} of {len(LEAKS)}", "all", len(ours.found) == len(LEAKS)
    yield "false alarms", str(len(ours.false)), "none", not ours.false
    yield (
        "smallest leak, by default",
        ours.smallest[0],
        SPARSE[3][0],
        ours.smallest[0] in (SPARSE[3][0], SPARSE[4][0]),
    )
    if "thorough" in rows:
        yield (
            "smallest leak, --thorough",
            rows["thorough"].smallest[0],
            SPARSE[4][0],
            rows["thorough"].smallest[0] == SPARSE[4][0],
        )
    if "psleak" in rows:
        clean, leak = (
            rows["psleak"].median(names) / ours.median(names) for names in (HEALTHY, LEAKS)
        )
        yield (
            "clean verdict, psleak / envdoctor, the six",
            f"{clean:.1f}x",
            "at least 5x",
            clean >= 5,
        )
        for name in ("CartPole-v1", "FrozenLake-v1", "Acrobot-v1"):
            theirs, own = (
                statistics.median(judge(detector, name).seconds for _ in range(pairs))
                for detector in ("psleak", "envdoctor")
            )
            yield (
                f"clean verdict, psleak / envdoctor, {name}",
                f"{theirs / own:.1f}x",
                "at least 5x",
                theirs >= 5 * own,
            )
        yield (
            "leak verdict, psleak / envdoctor, the eleven",
            f"{leak:.1f}x",
            "at least 10x",
            leak >= 10,
        )
    ratio = whole_command(pairs)
    yield (
        "envdoctor leak CartPole-v1 / bare interpreter, the same cycles",
        f"{ratio:.2f}x",
        "at most 2.5x",
        ratio <= 2.5,
    )
    short, long = long_leak_check(100), long_leak_check(10_000)
    yield (
        "cost of a cycle, 10,000 / 100 cycles",
        f"{long[0] / short[0]:.2f}x",
        "flat: at most 1.2x",
        long[0] <= 1.2 * short[0],
    )
    yield (
        "the doctor's own memory, 10,000 / 100 cycles",
        f"{long[1] / short[1]:.2f}x",
        "flat: at most 1.1x",
        long[1] <= 1.1 * short[1],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--pairs",
        type=int,
        default=7,
        metavar="N",
        help="how often the whole command is measured (7)",
    )
    parser.add_argument("--judge", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.judge:
        judge_here(*options.judge)
    rows, missing = {}, []
    for name in TITLES:
        if is_installed(name):
            rows[name] = Row(name)
            rows[name].judge_all()
        else:
            missing.append(name)
    show(rows, missing, list(targets(rows, options.pairs)))


def show(
    rows: dict[str, Row], missing: list[str], reached: list[tuple[str, str, str, bool]]
) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=None if sys.stdout.isatty() else 180)
    table = Table(
        "detector",
        "found",
        "false alarms",
        "seconds, clean",
        "seconds, leak",
        "rarest leak seen",
        "smallest block seen",
    )
    for row in rows.values():
        table.add_row(*row.cells())
    console.print(table)
    console.print(
        "Seconds are medians of right verdicts, without start-up; in brackets the whole command."
    )
    for name in missing:
        console.print(f"{name} is not installed and was left out")
    table = Table("target", "measured", "wanted", "")
    for what, measured, wanted, met in reached:
        table.add_row(what, measured, wanted, "ok" if met else "missed")
    console.print(table)


if __name__ == "__main__":
    main()
