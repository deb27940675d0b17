"""GPU memory in the readings of a lifecycle."""

from __future__ import annotations

from envdoctor.analysis.gpu_memory import left_on_gpu, reason_unread, rises
from envdoctor.model.gpu import NOT_READ, SENSOR
from envdoctor.model.trace import Life


def life(**points: dict[str, str]) -> Life:
    return Life(0, {point: {SENSOR: held} for point, held in points.items()})


def test_bytes_that_processes_hold_beyond_what_they_held_before() -> None:
    assert rises({"1": "100", "2": "50"}, {"1": "150", "2": "50", "3": "7", "4": "x"}) == {
        "1": 50,
        "3": 7,
    }
    played = life(before={"1": "100"}, held={"1": "164"})
    assert left_on_gpu(played, "held") == {"1": 64}
    assert left_on_gpu(played, "collected") == {}


def test_driver_that_does_not_tell_is_quoted() -> None:
    assert reason_unread(life(before={}, held={NOT_READ: "not permitted"})) == "not permitted"
    assert reason_unread(life(before={"1": "100"}, held={})) == ""
    assert reason_unread(Life(0, {"before": {"threads": {NOT_READ: "of another sensor"}}})) == ""
