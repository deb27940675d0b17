"""Errors that an environment catches, as the cause of what its calls leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.evidence.caught_errors import caught_each_time


def caught(name: str, line: int) -> dict[str, object]:
    place = {"file": "/home/me/enclave.py", "line": line, "function": "execute"}
    keys = {"message": "", "calls": 4, "within": "step", "left": ["processes"]}
    return {"type": name, "frame": place, "caught": place, **keys}


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        ([caught("TimeoutError", 65)], "TimeoutError"),
        ([caught("CancelledError", 49), caught("TimeoutError", 65)], "TimeoutError"),
        ([caught("CancelledError", 49)], None),
        ([caught("OSError", 49), caught("TimeoutError", 65)], None),
    ],
    ids=["a limit", "what a limit of asyncio cancels", "a task that is cancelled", "two errors"],
)
def test_error_alone_is_the_cause(errors: list[dict[str, object]], cause: str | None) -> None:
    caught = trace(fact("caught-errors", {"resets": 16, "errors": errors}), name="caught")
    view = replace(direct_view(), optional_traces=(caught,))
    error = caught_each_time(view, "processes")
    assert (error.type if error is not None else None) == cause
