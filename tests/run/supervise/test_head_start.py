"""A probe that starts before anybody knows what to ask it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import QUICK, processes_of

from envdoctor.cli.start import head_start
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED
from envdoctor.run.supervise.head_start import HeadStart
from envdoctor.run.supervise.session import Session

SHADOW = "import sys; sys.stderr.write('imported ahead\\n')"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The system's temporary directory, and the user's own, which has a gymnasium that tells
    that it was imported.
    """
    (tmp_path / "t").mkdir()
    (tmp_path / "gymnasium.py").write_text(SHADOW)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert os.listdir(tmp_path / "t") == []
    assert processes_of(tmp_path / "t") == []


def test_head_start_gives_its_probe_once(place):
    with HeadStart(str(place)) as ahead:
        probe = ahead.take(sys.executable)
        assert probe is not None
        assert ahead.take(sys.executable) is None
        with Session(
            sys.executable, QUICK, ahead.bundle, ahead.directory, ahead.directory, probe
        ) as session:
            trace = session.play(
                Subject("nothing.py", FILE, path=str(place / "nothing.py")),
                Scenario("survey", "survey"),
                0,
            )
            said = (probe.home / "stderr").read_text()
        assert trace.outcome.kind == FINISHED
        assert trace.fact("survey")["why"] == "no-file" or not trace.fact("survey")["found"]
        assert "imported ahead" in said


def test_nobody_takes_it(place):
    with HeadStart(str(place)) as ahead:
        assert ahead.take("/another/python") is None
        assert processes_of(place / "t")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["rules"],
        ["check", "--help"],
        ["leak", "A-v0", "--python=py"],
        ["check", "A-v0", "--python", "py"],
    ],
    ids=str,
)
def test_no_probe_where_none_of_ours_is_wanted(words):
    with ExitStack() as begun:
        assert head_start(begun, words) is None


def test_no_place_for_it(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with ExitStack() as begun:
        assert head_start(begun, ["check", "A-v0"]) is None


def test_a_usage_error_leaves_nothing(place):
    environment = {**os.environ, "TMPDIR": str(place / "t")}
    words = [sys.executable, "-m", "envdoctor", "check", "CartPole-v1", "--fail-on", "nonsense"]
    done = subprocess.run(
        words,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert done.returncode == 2, done.stderr
    assert "nonsense" in done.stderr
