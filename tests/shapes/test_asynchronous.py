"""Environments whose calls are coroutines: they run to their end on one loop, and leave what others leave."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shapes.examined import of, passed, together

pytestmark = pytest.mark.everything

NAMES = ("Healthy", "Leaving", "Held", "Beating", "Failing")


@cache
def examined() -> tuple[int, dict[str, Any]]:
    specs = (f"asynchronous.py:{name}" for name in NAMES)
    return together(*specs, arguments=("--select", "API,ASY,CLS,DET,HNG,RUS"))


def test_a_healthy_one_is_healthy_and_its_loop_is_not_blamed() -> None:
    _, document = examined()
    assert of(document, "asynchronous.py:Healthy") == {}
    assert {"CLS001", "CLS003", "CLS006", "CLS007", "CLS012", "DET001", "DET002"} <= passed(
        document, "asynchronous.py:Healthy"
    )
    assert {"ASY001", "ASY002", "CLS017"} <= passed(document, "asynchronous.py:Healthy")
    own = next(one for one in document["subjects"] if one["spec"] == "asynchronous.py:Healthy")
    assert [(one["longest"], one["ended"]) for one in own["episodes"]] == [(5, {"terminated": 1})]


def test_error_and_leftover_thread_of_async_close_are_found() -> None:
    exit_code, document = examined()
    found = of(document, "asynchronous.py:Leaving")
    assert exit_code == 1
    assert found["CLS001"].startswith("close() raises RuntimeError: the door is stuck")
    assert "thread" in found["CLS007"]


def test_an_instance_that_its_task_holds_is_found() -> None:
    _, document = examined()
    assert "CLS012" in of(document, "asynchronous.py:Held")


def test_a_task_that_close_leaves_is_named_with_its_line() -> None:
    _, document = examined()
    found = of(document, "asynchronous.py:Beating")
    assert found["ASY002"].startswith("the task Beating.beat() is still pending after close()")
    assert "CLS012" not in found


def test_an_error_of_a_task_that_nothing_awaits_is_reported() -> None:
    _, document = examined()
    found = of(document, "asynchronous.py:Failing")
    assert found["CLS017"].startswith("the task Failing.beat() raises ValueError: no joint")
