"""Memory in reports, by values: of drawing, of GPUs and of replay storages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.analysis.drawing import summarise
from envdoctor.analysis.replay_buffers import NONE
from envdoctor.analysis.replay_buffers import summarise as summary_of_storages
from envdoctor.model.gpu import NOT_READ, SENSOR
from envdoctor.model.report import DrawingReport
from envdoctor.model.trace import Life, Trace
from envdoctor.reporters._costs import drawn
from envdoctor.rules.engine.examples import reading, trace
from envdoctor.rules.evidence.gpu import left_in, reason_in, rises
from envdoctor.rules.evidence.replay_buffers import LISTED, filled, forecast, turns

MIB = 2**20
CONTEXT = {"EGL context": "EGL context of mujoco"}


def life(most: int, left: int, shown: dict[str, str], **place: str) -> Trace:
    heap = {"before": 0, "made": 0, "stepped": most, "held": left}
    readings = [
        reading(point, {"native-heap": value, "windows": shown if point == "stepped" else {}})
        for point, value in heap.items()
    ]
    return trace(*readings, **place)


def test_a_context_is_reported_with_the_memory_it_acquires_and_gives_back() -> None:
    report = summarise([life(108 * MIB, 2 * MIB, CONTEXT)])
    assert report == DrawingReport("EGL context of mujoco", 108 * MIB, 106 * MIB)
    assert drawn(report) == (
        "an open instance that has drawn takes 108.0 MiB of native memory (EGL context of mujoco);"
        " close() gives 106.0 MiB back"
    )


@pytest.mark.parametrize(
    "drawing",
    [
        life(MIB, 0, CONTEXT),
        life(108 * MIB, 0, {}),
        life(108 * MIB, 0, {"pygame window": "pygame window 'Maze', 400x400"}),
        life(108 * MIB, 0, CONTEXT, manager="gymnasium-sync"),
    ],
    ids=["little", "no context", "a window", "under a manager"],
)
def test_drawing_without_a_large_context_of_its_own_is_not_reported(drawing: Trace) -> None:
    assert summarise([drawing]) is None


def test_storages_that_were_asked_for_are_reported_and_nothing_else() -> None:
    control = filled()
    control = replace(control, scenario=replace(control.scenario, control=True))
    alone = filled(NONE, past=turns())
    traces = [trace(), forecast(), filled(past=turns()), control, alone]
    assert [report.storage for report in summary_of_storages(traces)] == [LISTED]


def test_storage_that_was_not_filled_says_why() -> None:
    (report,) = summary_of_storages([forecast(missing="torchrl is not installed")])
    assert report.missing == "torchrl is not installed"
    (report,) = summary_of_storages([forecast()])
    assert report.missing == "not played"


def life_on_gpu(**points: dict[str, str]) -> Life:
    return Life(0, {point: {SENSOR: held} for point, held in points.items()})


def test_bytes_that_processes_hold_beyond_what_they_held_before() -> None:
    assert rises({"1": "100", "2": "50"}, {"1": "150", "2": "50", "3": "7", "4": "x"}) == {
        "1": 50,
        "3": 7,
    }
    life = life_on_gpu(before={"1": "100"}, held={"1": "164"})
    assert left_in(life, "held") == {"1": 64}
    assert left_in(life, "collected") == {}


def test_driver_that_does_not_tell_is_quoted() -> None:
    assert reason_in(life_on_gpu(before={}, held={NOT_READ: "not permitted"})) == "not permitted"
    assert reason_in(life_on_gpu(before={"1": "100"}, held={})) == ""
    assert reason_in(Life(0, {"before": {"threads": {NOT_READ: "of another sensor"}}})) == ""
