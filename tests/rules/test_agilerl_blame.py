"""Knowledge of AgileRL's vector environments, by values."""

from __future__ import annotations

import pytest

from envdoctor.frameworks import Launch, launch_lines
from envdoctor.frameworks.agilerl import DEFECTS, WORKERS, close_cut_off, ends_lost
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import instance, reading, trace, vector_view, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.processes.prc001_orphans_after_manager_close import orphans_after_manager_close

PLACE = {"manager": WORKERS, "start_method": "fork"}
SIMULATOR = {"31": "simulator --port 4242"}


def closed(*after: str) -> Trace:
    """A life whose close() returned; what the one instance in a worker came to."""
    calls = [instance(what, pid=7, parent=False) for what in ("made", "closing", *after)]
    left = [
        reading(point, {"processes": {} if point == "before" else SIMULATOR})
        for point in ("before", "held", "dropped", "collected")
    ]
    return trace(verb("make"), *calls, verb("close"), verb("drop"), *left, **PLACE)


@pytest.mark.parametrize(
    ("after", "shown"), [((), "close() of 1 instance"), (("closed",), ""), (("close-raised",), "")]
)
def test_a_close_that_had_not_returned_was_cut_off(after: tuple[str, ...], shown: str) -> None:
    assert close_cut_off(closed(*after)) == shown


def found(played: Trace) -> list[str]:
    """Return the messages of PRC001, where an instance alone has a simulator until its close()."""
    points = {"before": {}, "stepped": SIMULATOR, "held": {}}
    alone = trace(*(reading(point, {"processes": left}) for point, left in points.items()))
    theirs = vector_view(trace(verb("close"), **PLACE), **PLACE)
    view = vector_view(played, **PLACE)
    judged = View(
        view.subject, WORKERS, "fork", view.traces, view.survey, theirs, other_places=(alone,)
    )
    return [finding.message for finding in orphans_after_manager_close.judge(judged)]


def test_leftover_of_an_interrupted_close_is_not_blamed_on_the_environment() -> None:
    assert found(closed()) == []
    (message,) = found(closed("closed"))
    assert "simulator --port 4242" in message


def test_ends_are_counted() -> None:
    ended = verb("episode", steps=9, episodes=[{"step": 9, "how": "truncated"}] * 2)
    assert ends_lost(trace(ended)) == "the ends of 2 episodes"
    assert ends_lost(trace(verb("episode", steps=9, episodes=[]))) == ""


def test_launch_is_written_as_in_the_scripts_of_agilerl() -> None:
    assert launch_lines(WORKERS, Launch("make_env", "spawn")) == (
        "from agilerl.vector import AsyncPettingZooVecEnv",
        'envs = AsyncPettingZooVecEnv([make_env] * 4, context="spawn")',
    )


def test_its_defects_are_of_its_own_manager() -> None:
    assert {one.manager for one in DEFECTS} == {WORKERS}
