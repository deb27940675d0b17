"""Gain from each further worker, by values."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.analysis.worker_scaling import Measured, best, enough, measured
from envdoctor.cli.worker_texts import as_json, as_text, lines_to_paste
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import ID, Subject
from envdoctor.model.trace import TIMED_OUT, Outcome, Trace
from envdoctor.plan import worker_numbers
from envdoctor.rules.engine.examples import fact, instance, raised, verb
from envdoctor.run.worker_trials import WorkerTrials

SUBJECT = Subject("CartPole-v1", ID, "CartPole-v1")
MiB = 2**20


def row(workers: int, rate: float, manager: str = "gymnasium-async", **fields: Any) -> Measured:
    method = None if manager == DIRECT else "fork"
    return Measured(manager, method, workers, 0.5, rate, **fields)


def launched(*events: Any, outcome: Outcome | None = None) -> Trace:
    scenario = worker_numbers.launched(("gymnasium-async", "fork"), 2, 1000)
    return Trace(scenario, outcome or Outcome("finished"), events)


def test_numbers_of_workers() -> None:
    assert worker_numbers.numbers(1) == (1,)
    assert worker_numbers.numbers(2) == (1, 2)
    assert worker_numbers.numbers(6) == (1, 2, 4, 6)
    assert worker_numbers.numbers(8) == (1, 2, 4, 8)
    assert worker_numbers.numbers(0) == (1,)


def test_a_launch_is_measured_by_its_last_steps() -> None:
    held = [{"pid": pid, "uss": 10 * MiB, "pss": 14 * MiB, "rss": 30 * MiB} for pid in (1, 2)]
    found = measured(
        launched(
            {**verb("make"), "t": 1.0, "state": "began"},
            instance("made", t=1.5, parent=False, pid=1),
            instance("made", t=2.5, parent=False, pid=2),
            {**verb("make"), "seconds": 9.0},
            {**verb("step:50"), "steps": 50, "seconds": 40.0},
            fact("worker-memory", [{"pid": 1, "uss": 1, "pss": 1, "rss": 1}]),
            {**verb("step:1000"), "steps": 500, "seconds": 2.0},
            fact("worker-memory", held),
        )
    )
    assert found == Measured(
        "gymnasium-async", "fork", 2, 1.5, 500.0, private=20 * MiB, shared=8 * MiB
    )


def test_a_launch_that_failed_says_how() -> None:
    error = raised("multiprocessing.context.TimeoutError")
    told = measured(launched({**verb("make", "raised", error=error)}))
    assert told.failed == f"make() raises {error['type'].rpartition('.')[2]}"
    assert measured(launched(outcome=Outcome(TIMED_OUT))).failed == TIMED_OUT


def test_more_workers_pay_as_long_as_the_rate_rises() -> None:
    rows = [row(1, 100), row(2, 190), row(4, 200), row(8, 900)]
    assert enough(rows) == rows[1], "where a doubling brings nothing, nobody looks further"
    assert enough([row(1, 100), row(2, 190)]) == row(2, 190)
    assert enough([row(1, 100), row(2, 0, failed="make() raises OSError")]) == row(1, 100)
    assert enough([row(1, 0, failed="timed-out")]) is None


def test_the_best_is_the_fastest_with_the_fewest_workers() -> None:
    alone = row(1, 100, DIRECT)
    assert best([alone, row(1, 90), row(2, 180), row(4, 350)]) == row(4, 350)
    assert best([alone, row(1, 90), row(2, 100), row(4, 105)]) == alone
    spawned = Measured("gymnasium-async", "spawn", 4, 9.0, 360.0, private=40 * MiB)
    forked = row(4, 350, private=10 * MiB)
    assert best([alone, spawned, forked]) == forked
    assert best([row(1, 0, failed="timed-out")]) is None


@pytest.mark.parametrize("shown", [as_text, as_json])
def test_text_shows_rates_and_memory_and_suggests_a_worker_count(shown: Any) -> None:
    rows = (
        row(1, 100, DIRECT),
        row(1, 90),
        row(2, 190, private=20 * MiB, shared=8 * MiB),
        row(4, 195),
    )
    text = shown(WorkerTrials(rows, (), 4, 2**33), SUBJECT)
    assert "AsyncVectorEnv([lambda: gymnasium.make(" in text
    if shown is as_text:
        assert "gymnasium-async  fork                2  0.5 s      190  20.0 MiB  8.0 MiB" in text
        assert "gymnasium-async, fork: not faster with more than 2 workers" in text
        assert (
            "Begin with 2 workers (gymnasium-async, fork): 190 steps per second with 4 cores."
            in text
        )


def test_one_process_is_recommended_where_workers_bring_nothing() -> None:
    text = as_text(
        WorkerTrials((row(1, 9000, DIRECT), row(1, 90), row(2, 180)), (), 2, 2**33), SUBJECT
    )
    assert "One instance in your own process is as fast as any number of workers" in text
    assert "busy" not in text
    busy = WorkerTrials((row(1, 9000, DIRECT),), (), 2, 2**33, busy=7.4, processors=2)
    assert "busy before (load 7.4 on 2 processors): workers may pay on an idle one." in as_text(
        busy, SUBJECT
    )
    assert lines_to_paste(row(2, 180), Subject("arm.py:Arm", "file"))[0].startswith("envs = ")


@pytest.mark.parametrize(
    "events",
    [
        (),
        (verb("make"),),
        (verb("make"), verb("step:20", steps=20)),
        (verb("step:20", steps=20), verb("step:20", steps=20)),
    ],
)
def test_launch_without_two_rounds_of_steps_is_not_measured(events: tuple[Any, ...]) -> None:
    assert measured(launched(*events)).failed


def test_launch_that_ended_early_is_not_measured() -> None:
    steps = (verb("make"), verb("step:20", steps=20), verb("step:20", steps=20))
    assert not measured(launched(*steps)).failed
    assert measured(launched(*steps, outcome=Outcome(TIMED_OUT, verb="close"))).failed
