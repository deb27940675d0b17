"""The lines that start processes which may run on after a training."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_events import announced
from envdoctor.probe.live.sites import CHILDREN_MOST, Sites
from envdoctor.probe.live.starters import started
from envdoctor.watch.pages import PageReport

PLACE = ("/home/track.py", 27, "reset")


def sites(events: list[dict[str, Any]], place: Any = PLACE) -> Sites:
    """Sites of a process that has made no environment yet."""

    def tell(what: str, **keys: Any) -> None:
        events.append({"what": what, "pid": 1, "t": 0.0, **keys})

    return Sites(lambda _new=False: None, lambda: place, tell, pytest.fail)


@pytest.fixture
def _followed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("__init__", "__del__", "send_signal"):
        monkeypatch.setattr(subprocess.Popen, name, getattr(subprocess.Popen, name))


@pytest.mark.usefixtures("_followed")
def test_the_line_that_starts_a_program_is_known_by_its_process() -> None:
    events: list[dict[str, Any]] = []
    sites(events).follow_programs()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as program:
        told, start = PageReport(), started(program.pid)
        told.take(map(announced, events))
        assert program.stdin is not None
        program.stdin.close()
    assert told.starter_of(program.pid, start) == Location(*PLACE)
    assert told.starter_of(program.pid, start + 1) is None  # another process has its number


@pytest.mark.usefixtures("_followed")
def test_a_program_that_no_line_of_the_users_starts_is_not_journaled() -> None:
    events: list[dict[str, Any]] = []
    sites(events, None).follow_programs()
    subprocess.run(["true"], check=True, timeout=10)
    assert not events


def test_a_process_that_starts_more_and_more_does_not_fill_the_journal() -> None:
    events: list[dict[str, Any]] = []
    many = sites(events)
    for _ in range(CHILDREN_MOST + 1):
        many._program_started(type("Program", (), {"pid": 0}), None)
    assert len(events) == CHILDREN_MOST


def test_a_training_is_saved_with_the_lines() -> None:
    training = Training(
        (), left=(TrainingProcess(9, location=Location(*PLACE)), TrainingProcess(10))
    )
    assert Training.from_dict(training.as_dict()) == training
