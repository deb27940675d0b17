"""Whose fault it is that a manager does not start."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.finding import ENVIRONMENT, INTERACTION
from envdoctor.rules.engine.examples import direct_view, raised, trace, vector_view, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.workers.vec001_worker_does_not_start import worker_does_not_start

ERROR = raised("builtins.AttributeError", "'NoneType' object has no attribute 'close'", line=30)
LAUNCH = trace(verb("make", "raised", error=ERROR), manager="gymnasium-async", start_method="spawn")
LIFE = trace(verb("make"), verb("reset"), verb("close"))


def beside(*alone: object) -> View:
    return replace(vector_view(LAUNCH), elsewhere=(*direct_view(LIFE).traces, *alone))  # type: ignore[arg-type]


def test_what_raises_without_a_manager_is_the_environments() -> None:
    early = trace(verb("make"), verb("close", "raised", error=ERROR), name="unreset")
    (finding,) = worker_does_not_start.judge(beside(early))
    assert finding.blame == ENVIRONMENT
    assert (
        finding.remedy.text
        == "mend the line that is shown: without a manager close() before the first reset() raises"
        " there, too."
    )


def test_another_line_is_another_matter() -> None:
    elsewhere = trace(
        verb("make"),
        verb("close", "raised", error={**ERROR, "frames": [{**ERROR["frames"][0], "line": 31}]}),
        name="unreset",
    )
    (finding,) = worker_does_not_start.judge(beside(elsewhere))
    assert finding.blame == INTERACTION
