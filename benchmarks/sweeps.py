"""What a sweep stands, and what a large one costs.

    python benchmarks/sweeps.py kills --specs 40 --kills 6
    python benchmarks/sweeps.py simulated --results 10000
    python benchmarks/sweeps.py throughput --specs 8
    python benchmarks/sweeps.py ledger --results 100000
    python benchmarks/sweeps.py alike --sick 10 --healthy 30

`kills` sweeps ids of Gymnasium and MiniGrid, kills the driver at random moments, resumes, and
counts: results, results that are there twice, processes and directories that are left after the
last start. `simulated` writes results without examining anything, and measures what reads them.
`throughput` runs each `check` alone, then all of them as sweeps with 1, 2, 4... examinations at
once, and compares: seconds alone for each second of the sweep, and the findings.
`ledger` fills folders with a hundredth, a tenth and all of so many results, and measures what one
key more costs in each. `alike` examines environments of the zoo by `check` and in one sweep, and
compares what was found, what passed and the verdicts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from envdoctor.model.finding import ERROR, Finding, Passed, Remedy
from envdoctor.model.report import INCONCLUSIVE
from envdoctor.sweep.ledger import PLANS, RESULTS, Driver, Ledger
from envdoctor.sweep.plans import Examination, Identity
from envdoctor.sweep.results import Judged, Result, written

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.support.zoo import ENVS, Animal, animals, examine

COMMAND = Path(sys.executable).with_name("envdoctor")
MARK = "SWEEP_KILLS"  # inherited by all that a driver starts
CHECK = ("--managers", "direct", "--select", "API,CLS,MAK", "--no-try-remedies", "--no-config")
LAST = 600.0  # seconds for the driver that is not killed
MORE = 500  # keys that a driver takes up beside those that are there


def kills(specs: int, times: int, seed: int, jobs: int) -> int:
    """Sweep, kill, resume; 0 where each environment has one result and nothing is left."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="k") as folder:
        place, tmp = Path(folder), Path(folder, "t")
        tmp.mkdir()
        environment = {**os.environ, "TMPDIR": str(tmp), MARK: place.name}
        ids = subprocess.run(
            [sys.executable, "-c", LIST], capture_output=True, text=True, check=True, timeout=120
        ).stdout.split()[:specs]
        (place / "specs.txt").write_text("".join(f"{one} --import minigrid\n" for one in ids))
        words = [COMMAND, "sweep", "--out", "out", "--jobs", str(jobs)]
        first = [*words, "--file", "specs.txt", *CHECK, "--resume"]
        done = Path(place, "out", RESULTS)
        starts = 0
        for number in range(times):
            wanted = len(ids) * (number + dice.random()) / (times + 1)
            starts += 1
            with subprocess.Popen(
                first if number == 0 else [*words, "--resume"],
                cwd=place,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as driver:
                deadline = time.monotonic() + LAST
                while driver.poll() is None and time.monotonic() < deadline:
                    there = len(list(done.iterdir())) if done.is_dir() else 0
                    if there >= wanted:
                        break
                    time.sleep(0.05)
                time.sleep(dice.random() * 4)
                driver.send_signal(signal.SIGKILL)
            print(f"killed with {len(list(done.iterdir()))} results", flush=True)
        last = subprocess.run(
            [*words, "--resume", "-qq"], cwd=place, env=environment, timeout=LAST, check=False
        )
        found = list(Ledger(place / "out").results())
        results = [one.identity.spec for one in found]
        for one in found:
            if one.judged.verdict == INCONCLUSIVE:
                print(f"inconclusive: {one.label}: {one.reason or one.judged.incomplete}")
        left = [
            process.pid
            for process in psutil.process_iter(["environ"])
            if (process.info["environ"] or {}).get(MARK) == place.name
        ]
        folders = [*os.listdir(tmp), *os.listdir(place / "out" / "work")]
        claims = [name for name in os.listdir(place / "out" / "claims") if name[0] != "."]
        print(
            f"{len(ids)} environments, {starts + 1} drivers, {times} killed: {len(results)}"
            f" results, {len(results) - len(set(results))} twice, {len(left)} processes left,"
            f" {len(folders)} directories left, {len(claims)} claims left, last exit"
            f" {last.returncode}"
        )
        return int(sorted(results) != sorted(ids) or bool(left or folders or claims))


LIST = """
import gymnasium, minigrid
known = [name for name in gymnasium.registry if name.startswith("MiniGrid-")]
print("CartPole-v1", "FrozenLake-v1", *sorted(known))
"""


def throughput(specs: int) -> int:
    """Single runs and sweeps of the same environments; 0 where all found the same."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        ids = subprocess.run(
            [sys.executable, "-c", OWN], capture_output=True, text=True, check=True, timeout=120
        ).stdout.split()[:specs]
        single = Ledger(sweep_of(ids, folder, "alone-0", 1)[0])  # warms up what is cached
        alone = 0.0
        for name in ids:
            began = time.monotonic()
            words = [COMMAND, "check", name, *CHECK, "-qq"]
            subprocess.run(words, cwd=folder, check=False)
            alone += time.monotonic() - began
        print(f"{len(ids)} single runs: {alone:.1f} s, load {os.getloadavg()[0]:.0f}", flush=True)
        expected, same = said(single), True
        jobs = 1
        while jobs <= cores:
            out, took = sweep_of(ids, folder, f"jobs-{jobs}", jobs)
            alike = said(Ledger(out)) == expected
            same &= alike
            print(
                f"--jobs {jobs}: {took:.1f} s, {alone / took:.2f} times as fast on {cores} cores,"
                f" findings {'the same' if alike else 'DIFFER'}, load {os.getloadavg()[0]:.0f}",
                flush=True,
            )
            jobs *= 2
        return int(not same)


def sweep_of(ids: list[str], folder: str, name: str, jobs: int) -> tuple[Path, float]:
    """The folder of a sweep and its seconds."""
    began = time.monotonic()
    words = [COMMAND, "sweep", *ids, "--out", name, "--jobs", str(jobs), *CHECK, "-qq"]
    subprocess.run(words, cwd=folder, check=False)
    return Path(folder, name), time.monotonic() - began


def said(ledger: Ledger) -> list[tuple[str, tuple[str, ...]]]:
    """What was found in each environment."""
    return sorted(
        (one.label, tuple(sorted(finding.fingerprint for finding in one.findings)))
        for one in ledger.results()
    )


OWN = """
import gymnasium
known = [(one.id, str(one.entry_point)) for one in gymnasium.registry.values()]
print(*[name for name, entry in known if "classic_control" in entry or "toy_text" in entry])
"""


def simulated(number: int) -> int:
    """Write results, then run what reads them; seconds and peak memory of each."""
    with tempfile.TemporaryDirectory(prefix="s") as folder:
        days = [Path(folder, name) for name in ("yesterday", "today")]
        for day in days:
            write(Ledger(day, make=True), number, sick=day.name == "today")
        for words in (
            ("sweep", "--out", "today", "--resume", "--since", "yesterday"),
            ("gate", "today", "-q"),
            ("baseline", "today", "--output", "known.toml"),
            ("compare", "yesterday", "today"),
        ):
            began = time.monotonic()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False
            )
            took, peak = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            grown = peak.ru_maxrss > before.ru_maxrss
            busy = peak.ru_utime + peak.ru_stime - before.ru_utime - before.ru_stime
            print(
                f"{' '.join(words)}: exit {done.returncode}, {took:.1f} s ({busy:.1f} s of CPU),"
                f" {'' if grown else 'at most '}{peak.ru_maxrss / 1024:.0f} MiB"
            )
            print("  " + "\n  ".join((done.stdout + done.stderr).splitlines()[-3:]))
        print(f"index: {Path(folder, 'today', 'index.html').stat().st_size / 2**20:.1f} MiB")
    return 0


def write(ledger: Ledger, number: int, sick: bool) -> None:
    """Results as `check` of an environment without managers leaves them: one in ten has a finding,
    and with `sick` one more has.
    """
    from envdoctor import __version__
    from envdoctor.rules.engine.registry import catalogue

    codes = [entry.code for entry in catalogue()]
    plan = []
    for each in range(number):
        spec = f"Simulated-{each:05}-v0"
        identity = Identity(spec, {}, {}, sys.executable, "", "simulated")
        plan.append(Examination(identity, ("check", spec), os.getcwd()))
        bad = each % 10 == 0 or (sick and each == number // 2 + 1)
        judged = Judged(
            verdict="sick" if bad else "healthy",
            findings=(finding(codes[15], spec),) if bad else (),
            passed=tuple(Passed(code, spec, "direct") for code in codes[16:88]),
            seconds=3.0,
            version=__version__,
        )
        result = Result(identity, judged, finished=time.time())
        ledger.file(RESULTS, result.key).write_text(written(result, "/nowhere"), encoding="ascii")
    ledger.plan(plan)
    assert len(list((ledger.folder / PLANS).iterdir())) == 1


def finding(code: str, spec: str) -> Finding:
    return Finding(
        code,
        "simulated",
        ERROR,
        "close() leaves 1 descriptor open: /dev/null",
        Remedy("Close it in close()."),
        subject=spec,
        manager="direct",
        key=("descriptors",),
        measures={"descriptors left": 1},
    )


def ledger(number: int) -> int:
    """What a key costs where few and where many are there."""
    for size in (number // 100, number // 10, number):
        with tempfile.TemporaryDirectory(prefix="l") as folder:
            full = Ledger(Path(folder, "out"), make=True)
            planned = [of(f"Simulated-{each:06}-v0", folder) for each in range(size)]
            line = written(Result(planned[0].identity, Judged()), "/nowhere")
            for one in planned:
                full.file(RESULTS, one.key).write_text(line, encoding="ascii")
            costs = {"plan": costing(size, lambda: full.plan(planned))}  # noqa: B023
            costs["read the plan"] = costing(size, full.planned)
            costs["list"] = costing(size, full.done)
            costs["read"] = costing(size, lambda: list(full.results()))  # noqa: B023
            with Driver(full) as driver:
                costs["claim, publish, release"] = costing(MORE, lambda: take_up(full, driver))  # noqa: B023
            print(
                f"{size} keys, microseconds each: "
                + ", ".join(f"{n} {c}" for n, c in costs.items())
            )
    return 0


def take_up(full: Ledger, driver: Driver) -> None:
    """What a driver does with keys that have no result yet."""
    for each in range(MORE):
        one = of(f"More-{each}-v0", "/nowhere")
        assert full.claim(one.key, driver)
        assert full.publish(Result(one.identity, Judged()), driver)
        full.release(one.key)


def of(spec: str, folder: str) -> Examination:
    return Examination(Identity(spec, {}, {}, "python", "", "simulated"), ("check", spec), folder)


def costing(keys: int, work: Callable[[], object]) -> str:
    """Microseconds of CPU and in all, for each key."""
    began, busy = time.perf_counter(), time.process_time()
    work()
    took, used = time.perf_counter() - began, time.process_time() - busy
    return f"{used / keys * 1e6:.0f} of CPU ({took / keys * 1e6:.0f} in all)"


def alike(sick: int, healthy: int, seed: int, jobs: int) -> int:
    """The zoo by `check` and in one sweep; 0 where both found the same."""
    dice = random.Random(seed)
    able = [one for one in animals() if (one.command, one.interpreter) == ("check", "")]
    # What a healthy one is examined with otherwise does not matter: both ways get the same options.
    pools = (
        [one for one in able if one.code and not one.arguments],
        [one for one in able if not one.code and "--script" not in one.arguments],
    )
    drawn: list[Animal] = []
    for pool, number in zip(pools, (sick, healthy), strict=True):
        drawn += dice.sample(pool, number)
    with tempfile.TemporaryDirectory(prefix="a") as folder:
        out = Path(folder, "out")
        words = [*(one.spec for one in drawn), "--out", str(out), "--jobs", str(jobs), *AS_ALL]
        subprocess.run([COMMAND, "sweep", *words, "-qq"], cwd=ENVS, check=False)
        swept = {one.identity.spec: one.judged for one in Ledger(out).results()}
    wrong = findings = 0
    for one in drawn:
        _, document = examine(one.spec, *AS_ALL)
        alone = sorted((entry["fingerprint"], entry["severity"]) for entry in document["findings"])
        passed = sorted({entry["code"] for entry in document["passed"]})
        verdict = document["summary"]["verdict"]
        found = swept[one.spec]
        here = sorted((entry.fingerprint, entry.severity) for entry in found.findings)
        same = (here, sorted({entry.code for entry in found.passed}), found.verdict) == (
            alone,
            passed,
            verdict,
        )
        findings += len(alone)
        wrong += not same
        if not same:
            print(f"{one.spec}: {json.dumps([alone, passed, verdict])}", flush=True)
            print(f"   in the sweep: {here} {found.verdict}", flush=True)
    print(
        f"{sick} sick, {healthy} healthy, --jobs {jobs}: {findings} findings,"
        f" {wrong} environments differ"
    )
    return int(wrong > 0)


AS_ALL = ("--managers", "direct", "--no-try-remedies", "--no-config")


WAYS = ("kills", "simulated", "throughput", "ledger", "alike")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=WAYS)
    parser.add_argument("--specs", type=int, default=40)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=int, default=10_000)
    parser.add_argument("--sick", type=int, default=10)
    parser.add_argument("--healthy", type=int, default=30)
    options = parser.parse_args()
    if options.what == "ledger":
        return ledger(options.results)
    if options.what == "alike":
        return alike(options.sick, options.healthy, options.seed, options.jobs)
    if options.what == "throughput":
        return throughput(options.specs)
    if options.what == "simulated":
        return simulated(options.results)
    return kills(options.specs, options.kills, options.seed, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
