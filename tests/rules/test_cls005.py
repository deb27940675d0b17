"""Knowledge of close() in a worker where it raises."""

from __future__ import annotations

import pytest

from envdoctor.rules.close.cls005_close_slow import close_slow
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("close-raised", "close() raises OSError in workers, so the rest was not seen"),
        ("closed", ""),
    ],
)
def test_duration_of_a_raising_close_is_not_judged(end: str, reason: str) -> None:
    error = {"error": raised("builtins.OSError", "gone")} if end == "close-raised" else {}
    events = (
        instance("closing", pid=7, parent=False, t=1.0),
        instance(end, pid=7, parent=False, t=1.1, **error),
    )
    view = vector_view(trace(*events, verb("close", seconds=0.2)))
    assert (list(close_slow.judge(view)), close_slow.unjudged(view)) == ([], reason)
