"""The doctor dies in every way, at moments drawn by lot: `python -m tests.support.deaths_of_the_doctor
--runs 200`.

After each death nothing of it may be there two seconds later: no process, no file in its TMPDIR, no
shared memory; the file of --output is whole or absent, standard output holds one document or
nothing, and nobody sees a traceback of ours.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from envdoctor.run.supervise import guard
from tests.support.zoo import COMMAND, ENVS

MARK = "DEATHS_MARK"  # in the environment of whatever a run starts
SHARED = Path("/dev/shm")
LATEST = 2.5  # seconds until the blow falls
ENDS = 60.0  # seconds for a run that was asked to end
SMALL = (512, 3_000_000)  # bytes that a file may have where the disk is full
SENTENCES = ("interrupted", "--output", "could not", "cannot", "too large", "No space")

#: What may be left, by the first word of what is told.
KINDS = {
    "process": "processes",
    "file": "files and run directories",
    "memory": "pieces of shared memory",
    "semaphore": "semaphores",
}

#: Signals: which ones, how often. The others are of the outputs.
SIGNALS = {
    "SIGINT": (signal.SIGINT, 1),
    "SIGINT twice": (signal.SIGINT, 2),
    "SIGTERM": (signal.SIGTERM, 1),
    "SIGHUP": (signal.SIGHUP, 1),
    "SIGKILL": (signal.SIGKILL, 1),
}
READER_GONE, DISK_FULL, FILE_LIMIT = "reader gone", "disk full", "file limit"
WAYS = (*SIGNALS, READER_GONE, DISK_FULL, FILE_LIMIT)
SPAWNING = (
    *("check", "mortal.py:Queues", "--managers", "gymnasium-async"),
    *("--start-methods", "spawn", "--select", "CLS"),
)
WORDS = (
    ("check", "hostile.py:Calm"),
    ("check", "hostile.py:StepHangs", "--timeout", "20"),
    ("check", "hostile.py:StubbornWorkersHang", "--timeout", "20"),
    ("check", "hostile.py:LeavesDaemon"),
    ("check", "hostile.py:LeavesSharedMemory"),
    ("check", "hostile.py:LeavesFiles"),
    ("check", "mortal.py:HoldsSharedMemory"),
    ("check", "mortal.py:ForgetsNamedMemory", "mortal.py:HoldsSharedMemory", "--jobs", "2"),
    ("check", "CartPole-v1", "--python", sys.executable),
    SPAWNING,
    ("leak", "CartPole-v1"),
)


@dataclass(frozen=True)
class Death:
    """Command of a run, the way in which it ends, and the moment: seconds after the start, or the
    bytes that a file may have.
    """

    number: int
    way: str
    words: tuple[str, ...]
    moment: float
    to_file: bool

    def __str__(self) -> str:
        where = "--output" if self.to_file else "stdout"
        return f"{self.number}: {self.way} at {self.moment:.3f} of {' '.join(self.words)}, {where}"


def draw(number: int, seed: int) -> Death:
    """The death of this number: every way in turn, all else by lot."""
    lot, way = random.Random(f"{seed} {number}"), WAYS[number % len(WAYS)]
    moment = lot.uniform(*SMALL) if way == FILE_LIMIT else lot.uniform(0.0, LATEST)
    return Death(
        number,
        way,
        lot.choice(WORDS),
        moment,
        to_file=way not in (READER_GONE, DISK_FULL) and lot.random() < 0.5,
    )


@dataclass(frozen=True)
class End:
    """Outcome of a run: seconds until nothing of it was left, and faults of its end."""

    death: Death
    code: int
    gone_after: float
    wrong: tuple[str, ...]


class Place:
    """A folder, a mark, and the shared memory that was there before."""

    def __init__(self, folder: Path) -> None:
        self.mark, self.tmp, self.output = (
            secrets.token_hex(8),
            folder / "t",
            folder / "out" / "report.json",
        )
        self.tmp.mkdir()
        self.output.parent.mkdir()
        self.environment = {
            **os.environ,
            "TMPDIR": str(self.tmp),
            MARK: self.mark,
            "READY": str(folder / "ready"),
        }

    def left(self) -> list[str]:
        """Everything that is still there."""
        token = f"{MARK}={self.mark}".encode()
        pids = [
            row[0]
            for row in guard.processes()
            if not row[3] and token in guard.read(f"/proc/{row[0]}/environ")
        ]
        beside = {path.name for path in self.output.parent.iterdir()} - {self.output.name}
        return [
            *(f"process {pid} {guard.read(f'/proc/{pid}/cmdline')!r}" for pid in pids),
            *(f"file {folder}" for folder, *_ in os.walk(self.tmp) if folder != str(self.tmp)),
            *(f"file {folder}/{name}" for folder, _, names in os.walk(self.tmp) for name in names),
            *(f"file {name} beside the output" for name in beside),
            *(f"{kind_of(name)} {name}" for name in os.listdir(SHARED) if self.mark in name),
        ]


def kind_of(name: str) -> str:
    """Return the kind of a file in /dev/shm."""
    return "semaphore" if name.startswith("sem.") else "memory"


def die(death: Death, patience: float) -> End:
    """Run, die, and look at what is left until `patience` seconds have passed."""
    with tempfile.TemporaryDirectory(prefix="d", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder))
        code, stdout, stderr = _run(death, place)
        ended = time.monotonic()
        while (left := place.left()) and time.monotonic() - ended < patience:
            time.sleep(0.01)
        wrong = [*left, *_output_faults(death, code, stdout, stderr), *_torn(place.output)]
        return End(death, code, time.monotonic() - ended, tuple(wrong))


def _run(death: Death, place: Place) -> tuple[int, str, str]:
    """(exit code, stdout, stderr)."""
    words = [
        str(COMMAND),
        *death.words,
        "--format",
        "json",
        *(["--output", str(place.output)] if death.to_file else []),
    ]
    limit = int(death.moment) if death.way == FILE_LIMIT else 0
    full = open("/dev/full", "w") if death.way == DISK_FULL else None  # noqa: SIM115
    process = subprocess.Popen(
        words,
        cwd=ENVS,
        env=place.environment,
        stdout=full or subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_bounding(limit) if limit else None,  # noqa: PLW1509
    )
    try:
        _strike(death, process)
        stdout, stderr = process.communicate(timeout=ENDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return process.returncode, "", "Traceback: it did not end"
    finally:
        if full is not None:
            full.close()
    return process.returncode, stdout or "", stderr


def _bounding(limit: int) -> Callable[[], None]:
    """Return a function for a child to run first: it limits the size of files to `limit` bytes."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def _strike(death: Death, process: subprocess.Popen[str]) -> None:
    time.sleep(LATEST if death.way == FILE_LIMIT else death.moment)
    # Which the report meets at the end, if nothing else did before.
    if death.way in (DISK_FULL, FILE_LIMIT):
        process.send_signal(signal.SIGTERM)
        return
    if death.way == READER_GONE:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        process.send_signal(signal.SIGINT)
        return
    number, times = SIGNALS[death.way]
    for _ in range(times):
        process.send_signal(number)


def _output_faults(death: Death, code: int, stdout: str, stderr: str) -> Iterator[str]:
    # Before the first line of ours runs, Python itself answers Ctrl-C with a traceback.
    if "Traceback" in stderr and ("/envdoctor/" in stderr or "KeyboardInterrupt" not in stderr):
        yield f"traceback: {stderr[-1500:]}"
    if "bug" in stderr:
        yield f"a bug: {stderr[-500:]}"
    if stdout and death.way != "SIGKILL" and not _is_document(stdout):
        yield f"stdout is no document: {stdout[:80]!r} ... {stdout[-80:]!r}"
    if code not in _codes(death.way):
        yield f"exit code {code}: {stderr[-300:]}"


def _codes(way: str) -> set[int]:
    """Those of a run that ended by itself before the blow, and those of the blow."""
    ended = {0, 1, 4}
    if way in SIGNALS:
        # A request that comes before anybody listens is death, as it is for every program.
        return ended | ({-SIGNALS[way][0]} if way == "SIGKILL" else {130, -SIGNALS[way][0]})
    if way == READER_GONE:
        return ended | {130, -signal.SIGINT}
    return ended | {2, 70, 130, -signal.SIGTERM}


def _torn(output: Path) -> Iterator[str]:
    if output.exists() and not _is_document(output.read_text()):
        yield f"--output holds {output.stat().st_size} bytes that are no document"


def _is_document(text: str) -> bool:
    try:
        return json.loads(text)["version"] == 1
    except (ValueError, KeyError, TypeError):
        return False


def main() -> int:
    """One line for each way, and one for each thing that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--patience", type=float, default=2.0, help="seconds in which all must be gone"
    )
    parser.add_argument("--way", choices=WAYS, help="this way only")
    options = parser.parse_args()
    _listen()
    ends: list[End] = []
    numbers = (
        number
        for number in itertools.count(options.first)
        if options.way in (None, WAYS[number % len(WAYS)])
    )
    for number in itertools.islice(numbers, options.runs):
        end = die(draw(number, options.seed), options.patience)
        ends.append(end)
        for wrong in end.wrong:
            print(f"{end.death}, exit {end.code}: {wrong}", flush=True)
    _summarise(ends)
    return int(any(end.wrong for end in ends))


def _listen() -> None:
    """Let the doctors hear every signal: a shell has its jobs in the background ignore SIGINT, and
    nohup SIGHUP, and so would all that they start.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _summarise(ends: list[End]) -> None:
    left = Counter(wrong.split()[0] for end in ends for wrong in end.wrong)
    print("left behind: " + ", ".join(f"{left[kind]} {plural}" for kind, plural in KINDS.items()))
    for way in WAYS:
        mine = [end for end in ends if end.death.way == way]
        codes = ", ".join(
            f"{code} x{number}"
            for code, number in sorted(Counter(end.code for end in mine).items())
        )
        last = max((end.gone_after for end in mine), default=0.0)
        print(
            f"{way:13} {len(mine):4} deaths, {sum(bool(end.wrong) for end in mine)} wrong; exits"
            f" {codes}; all gone within {last:.2f} s"
        )


if __name__ == "__main__":
    sys.exit(main())
