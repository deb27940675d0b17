"""A close() that raises right after another call of the same instance did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model import page
from envdoctor.model.finding import Finding, Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died
from envdoctor.watch.pages import Counts, PageReport, instances

LOST = Raised("TimeoutError", "no page", Location("/arm.py", 20, "open"), "reset")
ERROR = Raised("AttributeError", "no attribute 'close'", Location("/arm.py", 91, "close"), "close")
ARM = Instances(1, 1, "arm.Arm", Location("/train.py", 14), raised=2, error=ERROR, earlier=LOST)


def _finding(arm: Instances) -> Finding:
    trainer = TrainingProcess(1, code=1, ended=9.0, raised=ERROR)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 9.0, (trainer,), (arm,))))
    return finding


def test_error_of_the_call_before_is_named() -> None:
    finding = _finding(replace(ARM, reset=Calls(1, 0)))
    words = "close() of Arm, whose reset() had raised TimeoutError: no page (arm.py:20 in open)"
    assert words in str(finding)
    assert "have close() of Arm give back what there is" in finding.remedy.text


def test_nothing_is_said_of_several_instances() -> None:
    finding = _finding(replace(ARM, number=2))
    assert "TimeoutError" not in str(finding)
    assert finding.remedy.text == "mend what raises there."


def _earlier(*calls: tuple[str, int, int]) -> Raised | None:
    """What is known of the call before, where these raised: a method, the number of calls that had
    raised, and of those that had come back.
    """
    report, row = PageReport(), [0] * page.WIDTH
    row[page.RAISED] = calls[-1][1]
    report.take(
        announced(
            {
                "what": "call-raised",
                "pid": 1,
                "t": 0.0,
                "page": "1.page",
                "row": 1,
                "type": "E",
                "method": method,
                "number": number,
                "calls": ended,
            }
        )
        for method, number, ended in calls
    )
    (arm,) = instances(Counts("1.page", 1, 1, 0, {1: tuple(row)}), report)
    return arm.earlier


@pytest.mark.parametrize(
    ("calls", "method"),
    [
        ((("reset", 1, 8), ("close", 2, 8)), "reset"),
        ((("step", 1, 8), ("close", 2, 8)), "step"),
        ((("reset", 1, 8), ("close", 2, 9)), ""),
        ((("close", 1, 8), ("close", 2, 8)), ""),
        ((("reset", 1, 8), ("close", 3, 8)), ""),
        ((("close", 1, 8),), ""),
        ((("reset", 1, 8), ("close", 2, 8), ("step", 3, 8)), ""),
    ],
    ids=["reset", "step", "a call came back", "close twice", "not journaled", "alone", "step last"],
)
def test_call_before_is_the_one_right_before_close(
    calls: tuple[tuple[str, int, int], ...], method: str
) -> None:
    earlier = _earlier(*calls)
    assert (earlier.method if earlier is not None else "") == method
