"""A sweep on a Ray cluster of three nodes on this machine: nodes and drivers are lost, and each
environment has one result all the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from envdoctor.run.supervise.guard import OOM_SCORE
from envdoctor.sweep.ledger import WORK, Ledger
from tests.interpreters import way_to
from tests.sweep.place import MARK, PATIENCE, QUICK, Place, until

LONG = 300.0  # a cluster takes its time to start
ROOT = Path(__file__).parents[2]
VARIABLE = "ENVDOCTOR_CLUSTER_PYTHON"
pytestmark = pytest.mark.skipif(VARIABLE not in os.environ, reason=way_to(VARIABLE))

MAIN = "import sys; sys.argv[0] = 'envdoctor'; from envdoctor.cli.start import main; main()"

YARD = '''
import json
import os
import signal

from warehouse import Belt, Bomb, Crane

NAMES = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT")


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


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    python = os.environ[VARIABLE]
    short = tempfile.mkdtemp(prefix="r")  # paths of sockets have 107 characters at most
    variables = {"PYTHONPATH": str(ROOT), "RAY_TMPDIR": short, "RAY_USAGE_STATS_ENABLED": "0"}
    place = Place(tmp_path, command=(python, "-P", "-c", MAIN), variables=variables, patience=LONG)
    (tmp_path / "yard.py").write_text(YARD)
    yield place
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


def test_nodes_and_the_driver_are_lost_and_each_environment_has_one_result(place: Place) -> None:
    names = ["Belt", "Crane", "Bomb", "Mine", "Notes"]
    words = [f"yard.py:{name}" for name in names]
    with Nodes(place) as nodes:
        where = ("--on", f"ray:{nodes.address}", "--retries", "1", "--out", "out")
        driver = place.start("sweep", *words, *QUICK, *where)
        with driver:
            begun = until(lambda: place.results() >= 1, LONG)
            if begun:
                nodes.do("kill")
                nodes.do("add")
            driver.kill()
            _, said = driver.communicate(timeout=PATIENCE)
        assert begun, said
        assert "[1/5]" in said
        assert " on " in said
        before = place.results()
        code, told, said = place.run("sweep", "--resume", *where)
        assert (code, said.count(f"/{5 - before}]")) == (1, 5 - before), told + said
        assert "raylet" not in told
    found = {one.label.partition(":")[2]: one for one in Ledger(place.out).results()}
    assert sorted(found) == sorted(names)
    assert [one.code for one in found["Crane"].findings] == ["CLS006"]
    assert found["Bomb"].reason == "the examination was killed by SIGKILL 2 times"
    assert found["Mine"].reason == "the worker of the node died 2 times"
    healthy = [name for name, one in found.items() if one.judged.verdict == "healthy"]
    assert sorted(healthy) == ["Belt", "Notes"]
    assert all(one.node for name, one in found.items() if name != "Mine")
    values = dict.fromkeys(("OMP_NUM_THREADS", "PYTHONBREAKPOINT"))
    values |= {name: os.environ[name] for name in values if name in os.environ}
    score = max(OOM_SCORE, int(Path("/proc/self/oom_score_adj").read_text()))  # as in any check
    assert json.loads((place.folder / "notes.json").read_text()) == [[], score, values]
    assert until(lambda: not place.processes() and not os.listdir(place.tmp)), (
        place.processes(),
        os.listdir(place.tmp),
    )
    assert os.listdir(place.out / WORK) == []


def test_where_ray_is_not_installed_that_is_said(tmp_path: Path) -> None:
    place = Place(tmp_path, command=(sys.executable, "-P", "-c", MAIN))
    code, told, said = place.run("sweep", "warehouse.py:Belt", "--on", "ray", "--out", "out")
    assert (code, told) == (2, "")
    assert "pip install 'envdoctor[ray]'" in said
    assert not place.out.exists()


def test_an_address_without_a_cluster_is_one_sentence(place: Place) -> None:
    words = ("--on", "ray:127.0.0.1:9", "--out", "out")
    code, told, said = place.run("sweep", "warehouse.py:Belt", *words)
    assert (code, told) == (2, "")
    assert "nothing answers at 127.0.0.1:9" in said
    assert not place.out.exists()
