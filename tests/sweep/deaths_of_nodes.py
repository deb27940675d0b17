"""Sweeps on a cluster of three nodes, in each of which a node and the driver are killed at moments
drawn by lot: `python -m tests.sweep.deaths_of_nodes --rounds 20`.

A node dies as its raylet does, or as a machine does, with all that runs on it at once. The driver is
killed by SIGKILL, and another one goes on. In the end each environment has one result, which is
what it has without deaths; no process and no directory of an examination is left while the cluster
lives on, and nothing at all when it has ended.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from envdoctor.model.report import HEALTHY, INCONCLUSIVE, SICK
from envdoctor.sweep.ledger import CLAIMS, WORK, Ledger
from tests import interpreters
from tests.support.waiting import PATIENCE, until
from tests.sweep.nodes import LONG, VARIABLE, Nodes, place_of_nodes
from tests.sweep.place import MARK, QUICK, Place

DRIVER, RAYLET, MACHINE = "driver", "raylet", "machine"
#: How a node dies, by what three_nodes.py is told.
ORDERS = {RAYLET: "kill", MACHINE: "unplug"}
LATEST = 3.0  # seconds from a count of results to the blow
SICK_ONES = 8  # one in so many has a finding
MINE = "yard.py:Mine"  # kills the worker below which it is examined
RETRIES = 2


@dataclass(frozen=True)
class Death:
    """Victim of a death, when so many results are there and `pause` seconds later."""

    who: str
    results: int
    pause: float


def draw(number: int, specs: int, seed: int) -> tuple[Death, ...]:
    """The deaths of a round, the first one first: nodes die in every way in turn."""
    lot = random.Random(f"{seed} {number}")
    deaths = [
        Death(who, int(lot.uniform(0, 0.85) * specs), lot.uniform(0, LATEST))
        for who in (DRIVER, tuple(ORDERS)[number % len(ORDERS)])
    ]
    return tuple(sorted(deaths, key=lambda death: death.results))


@dataclass(frozen=True)
class Round:
    """Outcome of a round: the victims with the number of results there, how often an examination
    began again, and the faults.
    """

    deaths: tuple[str, ...]
    results: int
    twice: int
    again: int
    processes: int
    directories: int
    seconds: float
    wrong: tuple[str, ...]


def live(number: int, specs: int, seed: int) -> Round:
    """A cluster, its sweep and the deaths of this round."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="n") as folder, place_of_nodes(Path(folder)) as place:
        expected = write_specs(place, specs)
        with Nodes(place) as nodes:
            words = ("--on", f"ray:{nodes.address}", "--retries", str(RETRIES), "--out", "out")
            drivers = Drivers(place, words)
            deaths = tuple(
                victim
                for death in draw(number, specs, seed)
                if (victim := strike(death, drivers, nodes, place))
            )
            wrong = list(drivers.end())
            until(lambda: not examining(place) and not left(place), PATIENCE)
            processes, directories = examining(place), left(place)
        until(lambda: not place.processes(), PATIENCE)
        verdicts = [
            (one.label, one.judged.verdict, one.reason) for one in Ledger(place.out).results()
        ]
        wrong += compare(expected, verdicts)
        wrong += [f"left: {one}" for one in (*processes, *directories)]
        wrong += [f"outlives the cluster: {pid}" for pid in place.processes()]
        return Round(
            deaths,
            len(verdicts),
            len(verdicts) - len({label for label, *_ in verdicts}),
            drivers.again,
            len(processes),
            len(directories),
            time.monotonic() - began,
            tuple(wrong),
        )


def write_specs(place: Place, number: int) -> dict[str, str]:
    """The file of SPECs, and what each label has to come to."""
    expected, lines = {MINE: INCONCLUSIVE}, [MINE]
    for each in range(1, number):
        sick = each % SICK_ONES == 0
        words = f"-k number={each} -k sick={str(sick).lower()}"
        lines.append(f"yard.py:Lift {words}")
        label = f"yard.py:Lift number={each} sick={str(sick).lower()}"
        expected[label] = SICK if sick else HEALTHY
    (place.folder / "specs.txt").write_text("".join(f"{line}\n" for line in lines))
    return expected


class Drivers:
    """One driver after the other, each of which goes on with the same folder."""

    def __init__(self, place: Place, words: tuple[str, ...]) -> None:
        self.place, self.words = place, words
        self.said = ""
        self.process = self._start("--file", "specs.txt", *QUICK)

    def _start(self, *first: str) -> subprocess.Popen[str]:
        process = self.place.start("sweep", *first, *self.words, "--resume")
        assert process.stdout is not None and process.stderr is not None
        self._readers = [
            threading.Thread(target=self._read, args=(stream,), daemon=True)
            for stream in (process.stdout, process.stderr)
        ]
        for reader in self._readers:
            reader.start()
        return process

    def _read(self, stream: Iterator[str]) -> None:
        for line in stream:
            self.said += line

    def kill(self) -> None:
        """Kill this one, and start the next, as what comes first may have no plan yet."""
        planned = any((self.place.out / "plans").glob("*.json"))
        self.process.kill()
        self._wait()
        self.process = self._start(*(() if planned else ("--file", "specs.txt", *QUICK)))

    def _wait(self) -> None:
        self.process.wait(LONG)
        for reader in self._readers:
            reader.join(PATIENCE)

    def end(self) -> Iterator[str]:
        """Wait for the last one; what is wrong with it."""
        try:
            self._wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self._wait()
            yield f"the last driver did not end: {self.said[-500:]}"
        if self.process.returncode != 1:  # there are findings
            yield f"the last driver ended with {self.process.returncode}: {self.said[-1500:]}"
        if "Traceback" in self.said:
            yield f"a traceback: {self.said[-1500:]}"

    @property
    def again(self) -> int:
        """Number of examinations that began again because a node or a worker was lost."""
        return self.said.count("it begins again")


def strike(death: Death, drivers: Drivers, nodes: Nodes, place: Place) -> str:
    """Kill at that moment; who died and with how many results, empty where all was over before."""
    until(lambda: place.results() >= death.results or drivers.process.poll() is not None, LONG)
    threading.Event().wait(death.pause)
    if drivers.process.poll() is not None:
        return ""
    with_results = place.results()
    if death.who == DRIVER:
        drivers.kill()
    else:
        nodes.do(ORDERS[death.who])
        nodes.do("add")
    return f"{death.who} at {with_results}"


def compare(expected: dict[str, str], verdicts: list[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the differences from a sweep without deaths."""
    times = Counter(label for label, *_ in verdicts)
    yield from (f"no result: {label}" for label in expected if label not in times)
    yield from (f"{times[label]} results: {label}" for label in times if times[label] > 1)
    for label, verdict, reason in verdicts:
        if verdict != expected.get(label):
            yield f"{label}: {verdict} ({reason}) instead of {expected.get(label)}"


def examining(place: Place) -> list[str]:
    """The processes of examinations and drivers, told from Ray's own by their command lines."""
    examinations = []
    for process in psutil.process_iter(["environ", "cmdline"]):
        words = " ".join(process.info["cmdline"] or [])
        of_ray = words.startswith("ray::") or "/ray/" in words or "three_nodes.py" in words
        if (process.info["environ"] or {}).get(MARK) == place.mark and not of_ray:
            examinations.append(f"process {process.pid}: {words[:200]}")
    return examinations


def left(place: Place) -> list[str]:
    """Directories of examinations and drivers, and claims."""
    names = [f"directory {name}" for name in os.listdir(place.tmp)]
    for kind in (WORK, CLAIMS):
        folder = place.out / kind
        entries = os.listdir(folder) if folder.is_dir() else []
        names += [f"{kind} {name}" for name in entries if name != ".lock"]
    return names


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--specs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    options = parser.parse_args()
    interpreters.announce()
    if VARIABLE not in os.environ:
        print(interpreters.way_to(VARIABLE))
        return 3
    rounds = []
    for number in range(options.first, options.first + options.rounds):
        round_ = live(number, options.specs, options.seed)
        rounds.append(round_)
        print(
            f"{number}: {', '.join(round_.deaths)}: {round_.results} results, {round_.twice} twice,"
            f" {round_.again} began again, {round_.processes} processes and {round_.directories}"
            f" directories left, {round_.seconds:.0f} s",
            flush=True,
        )
        for line in round_.wrong:
            print(f"   {line}", flush=True)
    died = Counter(victim.split()[0] for round_ in rounds for victim in round_.deaths)
    print(
        f"{len(rounds)} rounds, {sum(bool(round_.wrong) for round_ in rounds)} wrong;"
        f" killed: {', '.join(f'{count} times a {who}' for who, count in died.items())};"
        f" {sum(round_.results for round_ in rounds)} results, {sum(round_.twice for round_ in rounds)} twice,"
        f" {sum(round_.again for round_ in rounds)} examinations began again,"
        f" {sum(round_.processes for round_ in rounds)} processes left,"
        f" {sum(round_.directories for round_ in rounds)} directories left"
    )
    return int(any(round_.wrong for round_ in rounds))


if __name__ == "__main__":
    sys.exit(main())
