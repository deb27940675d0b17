"""`envdoctor sweep` and `compare` as people run them: real examinations in real processes."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from typer.testing import CliRunner

from envdoctor.cli.main import app
from envdoctor.sweep.ledger import CLAIMS, RESULTS, WORK, Ledger
from tests.zoo import COMMAND

PATIENCE = 120.0
MARK = "SWEEP_TEST"
QUICK = ("--managers", "direct", "--select", "CLS006", "--no-try-remedies")

WAREHOUSE = '''
import os

import gymnasium


class Belt(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 1.0, False, False, {}


class Crane(Belt):
    """Never closes its log."""

    def reset(self, *, seed=None, options=None):
        if not hasattr(self, "log"):
            self.log = open("/dev/null", "w")
        return super().reset(seed=seed, options=options)


class Bomb(Belt):
    """Kills the doctor that examines it."""

    def reset(self, *, seed=None, options=None):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline") as file:
                    words = file.read()
                with open(f"/proc/{pid}/cwd/mark") as file:
                    mine = file.read() == os.environ["SWEEP_TEST"]
            except OSError:
                continue
            if mine and "envdoctor.cli.examination" in words and "Bomb" in words:
                os.kill(int(pid), 9)
        return super().reset(seed=seed, options=options)
'''


@dataclass
class Place:
    """A folder with environments, whose drivers can be told from others."""

    folder: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def __post_init__(self) -> None:
        self.tmp.mkdir()
        (self.folder / "warehouse.py").write_text(WAREHOUSE)
        (self.folder / "mark").write_text(self.mark)

    @property
    def tmp(self) -> Path:
        return self.folder / "t"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(COMMAND), *words],
            cwd=self.folder,
            env={**os.environ, "TMPDIR": str(self.tmp), MARK: self.mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        with self.start(*words) as process:
            try:
                stdout, stderr = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert "Traceback" not in stderr, stderr
        return process.returncode, stdout, stderr

    def processes(self) -> list[int]:
        return [
            one.pid
            for one in psutil.process_iter(["environ"])
            if (one.info["environ"] or {}).get(MARK) == self.mark
        ]

    def results(self) -> int:
        return len(list((self.out / RESULTS).iterdir())) if (self.out / RESULTS).is_dir() else 0


def until(condition: Callable[[], bool]) -> bool:
    deadline, never = time.monotonic() + PATIENCE, threading.Event()
    while not condition() and time.monotonic() < deadline:
        never.wait(0.02)
    return condition()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_sweep_finds_what_check_finds_and_its_folder_is_read_by_the_others(place: Place) -> None:
    code, told, said = place.run(
        "sweep", "warehouse.py:Belt", "warehouse.py:Crane", *QUICK, "--out", "out"
    )
    assert code == 1
    assert told.splitlines()[0].startswith("warehouse.py:Crane  1 error")
    assert "2 environments: 1 with errors, 1 with neither" in told
    assert "[2/2]" in said

    _, document, _ = place.run("check", "warehouse.py:Crane", *QUICK, "--format", "json")
    alone = [(one["code"], one["message"]) for one in json.loads(document)["findings"]]
    swept = {one.label: one for one in Ledger(place.out).results()}
    assert [(one.code, one.message) for one in swept["warehouse.py:Crane"].findings] == alone

    _, again, _ = place.run("report", "out", "--format", "json")
    assert [(one["code"], one["message"]) for one in json.loads(again)["findings"]] == alone
    assert place.run("gate", "out", "-qq")[0] == 1
    assert place.run("baseline", "out", "--output", "known.toml")[0] == 0
    code, told, _ = place.run("gate", "out", "--baseline", "known.toml")
    assert (code, "1 baselined" in told) == (0, True)

    (page,) = (place.out / "pages").glob(f"{swept['warehouse.py:Crane'].key}.html")
    assert "--result" not in page.read_text(), "a page shows the command that a person would type"
    assert f"pages/{page.name}" in (place.out / "index.html").read_text()

    code, _, said = place.run("sweep", "warehouse.py:Belt", *QUICK, "--out", "out")
    assert (code, "--resume goes on with the rest" in said) == (2, True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_what_kills_its_examination_is_inconclusive_and_the_others_finish(place: Place) -> None:
    (place.folder / "specs.txt").write_text(
        "warehouse.py:Bomb\nwarehouse.py:Belt  # a healthy one\n"
    )
    words = ("--file", "specs.txt", *QUICK, "--retries", "1", "--jobs", "2", "--out", "out")
    code, told, _ = place.run("sweep", *words)
    assert code == 4, told
    belt, bomb = sorted(Ledger(place.out).results(), key=lambda one: one.label)
    assert bomb.reason == "the examination was killed by SIGKILL 2 times"
    assert bomb.attempts == 2
    assert (belt.reason, belt.judged.verdict) == ("", "healthy")
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_killed_driver_leaves_what_it_had_and_the_next_one_does_the_rest(place: Place) -> None:
    words = [f"warehouse.py:{name}" for name in ("Belt", "Crane")]
    driver = place.start("sweep", *words, *QUICK, "--out", "out", "--jobs", "1")
    assert until(lambda: place.results() == 1 and len(os.listdir(place.out / CLAIMS)) > 0)
    driver.kill()
    with driver:
        driver.communicate(timeout=PATIENCE)
    assert place.results() == 1
    code, _, said = place.run("sweep", "--resume", "--out", "out")
    assert (code, said.count("[1/1]")) == (1, 1), said
    assert sorted(one.label for one in Ledger(place.out).results()) == words
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))
    assert os.listdir(place.out / WORK) == []
    assert [name for name in os.listdir(place.out / CLAIMS) if name[0] != "."] == []


def test_an_interrupted_sweep_tells_what_it_knows(place: Place) -> None:
    words = [f"warehouse.py:{name}" for name in ("Belt", "Crane")]
    driver = place.start("sweep", *words, *QUICK, "--out", "out", "--jobs", "1")
    assert until(lambda: place.results() == 1)
    driver.send_signal(signal.SIGINT)
    with driver:
        told, said = driver.communicate(timeout=PATIENCE)
    assert driver.returncode == 130
    assert "1 of 2 have no result; --resume goes on" in said
    assert "1 environment: " in told
    assert "Not examined yet: 1." in (place.out / "index.html").read_text()
    assert until(lambda: not place.processes() and not os.listdir(place.tmp))
    assert os.listdir(place.out / WORK) == []
    assert place.run("gate", "out", "-qq")[0] == 4


def test_two_interpreters_are_compared_and_leave_nothing(place: Place) -> None:
    words = ("--python", sys.executable, "--python", sys.executable)
    code, told, _ = place.run("compare", "warehouse.py:Belt", *words, *QUICK[:-1])
    assert (code, told) == (0, "1 environment compared: no finding changed\n")
    assert until(lambda: not os.listdir(place.tmp))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("sweep", "--match", "Mini*", "--out", "out"), "name one with --registry"),
        (("sweep", "CartPole-v1", "--on", "ray"), "expected local, or a share such as shard:2/8"),
        (("sweep", "--file", "nothing.txt", "--out", "out"), "--file nothing.txt: No such file"),
        (
            ("sweep", "warehouse.py:Belt", "--select", "CLS06", "--out", "out"),
            "did you mean CLS006",
        ),
        (("sweep", "warehouse.py:Belt", "--out", "."), "it holds other files"),
        (("compare", "out"), "name the folders of two sweeps"),
        (("compare", "t", "t"), "is not the folder of a sweep"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    place: Place, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(place.folder)
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 2
    assert sentence in " ".join(told.output.split())
    assert not place.out.exists()
