"""`envdoctor attach`: a training that was started without envdoctor."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.analysis.shortages import Shortage
from envdoctor.analysis.training_growth import FLAT, GROWS, LONGEST, OPEN, growth
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import Reading, Series
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.training import watched_view
from envdoctor.watch.stacks import program
from tests.support.waiting import until
from tests.watch.test_watch_command import command

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="attach needs Linux"),
]

WAITING = """
import os, pathlib, threading
def wait():
    pathlib.Path("ready").touch()
    threading.Event().wait()
child = os.fork()
if child:
    os.waitpid(child, 0)
wait()
"""


def children(pid: int) -> list[int]:
    """Those of a process's main thread."""
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def test_processes_that_stand_still_are_reported_with_stacks(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITING], cwd=tmp_path) as training:
        try:
            assert until((tmp_path / "ready").exists)
            (child,) = children(training.pid)
            done = command("attach", str(training.pid), "--for", "12s", "--format", "json")
        finally:
            for pid in children(training.pid):
                os.kill(pid, signal.SIGKILL)
            training.kill()
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stderr)
    seen = document["subjects"][0]["training"]
    assert [one["pid"] for one in seen["processes"]] == [training.pid, child]
    assert seen["attached"]
    assert not seen["over"]
    assert [one["pid"] for one in seen["still"]] == [training.pid, child]
    assert all(one["seconds"] >= 5 for one in seen["still"])
    assert {one["code"] for one in document["findings"]} == {"TRN005"}
    assert document["passed"] == []  # nothing can be passed that was not looked at
    if not program():
        pytest.skip("the stacks need py-spy, which is not installed")
    assert " in wait\n" in seen["still"][1]["stacks"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("0",), "0 does not run: expected the PID of a training"),
        (("1", "--for", "soon"), "invalid --for 'soon': expected a number with s, m or h"),
    ],
)
def test_attach_rejects_a_missing_process_and_an_invalid_duration(
    words: tuple[str, ...], message: str
) -> None:
    done = command("attach", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"envdoctor: {message}")


@pytest.mark.parametrize(
    ("seconds", "each", "verdict", "shortage"),
    [
        (64, 2, GROWS, None),
        (64, 0, FLAT, None),
        (16, 2, OPEN, Shortage("second", 10, 20, 15.75)),
        (16, 0, OPEN, Shortage("second", 10, 20, 15.75)),
    ],
)
def test_growth_with_time(seconds: int, each: int, verdict: str, shortage: Shortage | None) -> None:
    readings = [Reading(at * seconds / 64, descriptors=9 + at * each) for at in range(64)]
    found = growth(readings, "descriptors", attached=True)
    assert (found.verdict, found.shortage) == (verdict, shortage)
    assert found.per == "second"


def test_few_readings_from_outside_are_too_short_a_time() -> None:
    found = growth([Reading(0.25, threads=1)], "threads", attached=True)
    assert found.shortage == Shortage("reading", 1, 32, 0.25, 0.25, LONGEST)


def test_a_watched_training_without_calls_is_not_judged_by_time() -> None:
    readings = [Reading(float(at), threads=at) for at in range(64)]
    found = growth(readings, "threads")
    assert (found.verdict, found.shortage) == (OPEN, Shortage("stretch", 0, 7, 63.0))


def test_children_that_grow_are_distinguished_by_their_commands() -> None:
    grown = tuple(Reading(float(at), threads=at) for at in range(64))
    commands = {1: "python train.py", 2: "simulator --port 7", 3: "simulator --port 8", 4: "logger"}
    seen = Training(
        (),
        1,
        processes=tuple(TrainingProcess(pid, 1, command) for pid, command in commands.items()),
        attached=True,
        series=tuple(Series(pid, grown) for pid in commands),
    )
    found = list(all_rules()["TRN010"].judge(watched_view(seen)))
    assert [one.message.split(" by ")[0] for one in found] == [
        "threads grow in the trainer's process",
        "threads grow in a child (simulator --port 7)",
        "threads grow in a child (logger)",
    ]
    assert len({one.key for one in found}) == 3
