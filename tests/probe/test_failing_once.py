"""An environment whose reset() fails once: the environment is not called, and one of all
instances fails, in whatever process.
"""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from envdoctor.probe.tracing.failing_once import FailingOnce
from envdoctor.probe.tracing.faults import InjectedError


class Log:
    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, what: str) -> None:
        self.written.append(what)


class Crane:
    def __init__(self) -> None:
        self.resets, self._envdoctor_log = [], Log()

    def reset(self, **given: Any) -> str:
        self.resets.append(given)
        return "observation"

    def __repr__(self) -> str:
        return "Crane()"


@pytest.fixture
def build(tmp_path: Path) -> FailingOnce:
    return FailingOnce(Crane, str(tmp_path / "journal"))


def fails(environment: Any) -> bool:
    try:
        environment.reset()
    except InjectedError:
        return True
    return False


def test_the_second_reset_fails_and_the_environment_is_not_called(build: FailingOnce) -> None:
    environment = build()
    assert environment.reset(level=3) == "observation"
    assert fails(environment)
    assert (environment.resets, environment._envdoctor_log.written) == ([{"level": 3}], ["failing"])
    assert [fails(environment) for _ in range(3)] == [False] * 3
    assert repr(environment) == "Crane()"


def test_a_renewed_instance_does_not_fail_again(build: FailingOnce) -> None:
    first, second = build(), build()
    assert [fails(environment) for environment in (first, first, second, second)] == [
        False,
        True,
        False,
        False,
    ]


def _second_of_two(build: FailingOnce, answer: Any) -> None:
    environment = build()
    environment.reset()
    answer.send(fails(environment))


def test_nor_does_one_in_another_process(build: FailingOnce) -> None:
    """A renewed worker is handed what the first one was handed."""
    answers = []
    for _ in range(2):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("fork").Process(
            target=_second_of_two, args=(build, theirs)
        )
        process.start()
        assert ours.poll(60)
        answers.append(ours.recv())
        process.join(60)
    assert answers == [True, False]
