"""A cluster of three nodes on this machine, as a process, and environments that its nodes examine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.sweep.place import MARK, PATIENCE, Place

LONG = 300.0  # a cluster takes its time to start
ROOT = Path(__file__).parents[2]
VARIABLE = "ENVDOCTOR_CLUSTER_PYTHON"
MAIN = "import sys; sys.argv[0] = 'envdoctor'; from envdoctor.cli.start import main; main()"

YARD = '''
import json
import os
import signal

from warehouse import Belt, Bomb, Crane

NAMES = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT")


class Lift(Crane):
    """One of many; only the sick ones forget their log."""

    def __init__(self, number=0, sick=False):
        if not sick:
            self.log = None


class Notes(Belt):
    """Writes down what its process has of its parents."""

    def reset(self, *, seed=None, options=None):
        with open("/proc/self/oom_score_adj") as file:
            score = int(file.read())
        blocked = sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        values = {name: os.environ.get(name) for name in NAMES}
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes")
        with open(f"{path}.part", "w") as file:
            json.dump([blocked, score, values], file)
        os.replace(f"{path}.part", f"{path}.json")
        return super().reset(seed=seed, options=options)


class Mine(Belt):
    """Kills the worker below which its doctor runs."""

    def reset(self, *, seed=None, options=None):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    words = file.read()
                with open(f"/proc/{pid}/stat") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                with open(f"/proc/{pid}/cwd/mark") as file:
                    mine = file.read() == os.environ["SWEEP_TEST"]
            except OSError:
                continue
            if mine and "envdoctor.cli.examination" in words and "Mine" in words:
                os.kill(parent, signal.SIGKILL)
        return super().reset(seed=seed, options=options)
'''


@contextmanager
def place_of_nodes(folder: Path) -> Iterator[Place]:
    """A folder whose drivers have the interpreter of the nodes."""
    short = tempfile.mkdtemp(prefix="r")  # paths of sockets have 107 characters at most
    variables = {"PYTHONPATH": str(ROOT), "RAY_TMPDIR": short, "RAY_USAGE_STATS_ENABLED": "0"}
    command = (os.environ[VARIABLE], "-P", "-c", MAIN)
    (folder / "yard.py").write_text(YARD)
    try:
        yield Place(folder, command=command, variables=variables, patience=LONG)
    finally:
        shutil.rmtree(short)


class Nodes:
    """The cluster of three_nodes.py, as a process."""

    def __init__(self, place: Place) -> None:
        self.process = subprocess.Popen(
            [os.environ[VARIABLE], str(Path(__file__).with_name("three_nodes.py"))],
            cwd=place.folder,
            env={**os.environ, **place.variables, "TMPDIR": str(place.tmp), MARK: place.mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._line()
        assert self.address, "the cluster did not start"

    def _line(self) -> str:
        assert self.process.stdout is not None
        bound = threading.Timer(PATIENCE, self.process.kill)
        bound.start()
        try:
            return self.process.stdout.readline().strip()
        finally:
            bound.cancel()

    def do(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        assert self._line() == word

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.communicate(timeout=PATIENCE)
