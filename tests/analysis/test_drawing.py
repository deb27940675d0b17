"""Resources that an instance acquires by drawing off the screen, by values."""

from __future__ import annotations

import pytest

from envdoctor.analysis.drawing import summarise
from envdoctor.model.report import DrawingReport
from envdoctor.model.trace import Trace
from envdoctor.reporters._costs import drawn
from envdoctor.rules.engine.examples import reading, trace

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
    "played",
    [
        life(MIB, 0, CONTEXT),
        life(108 * MIB, 0, {}),
        life(108 * MIB, 0, {"pygame window": "pygame window 'Maze', 400x400"}),
        life(108 * MIB, 0, CONTEXT, manager="gymnasium-sync"),
    ],
    ids=["little", "no context", "a window", "under a manager"],
)
def test_drawing_without_a_large_context_of_its_own_is_not_reported(played: Trace) -> None:
    assert summarise([played]) is None
