"""Blame where a manager does not start."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.events import Event
from envdoctor.model.finding import ENVIRONMENT, INTERACTION
from envdoctor.model.trace import TIMED_OUT, Outcome
from envdoctor.rules.close.cls004_close_hangs import close_hangs
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.used_addresses import ADDRESS_IN_USE, fails_alone_too
from envdoctor.rules.workers.vec001_worker_does_not_start import worker_does_not_start

ERROR = raised("builtins.AttributeError", "'NoneType' object has no attribute 'close'", line=30)
LAUNCH = trace(verb("make", "raised", error=ERROR), manager="gymnasium-async", start_method="spawn")
RULES = (worker_does_not_start, close_hangs)
CLOSING = instance("closing", pid=7, parent=False)
IN_CLOSE = """Current thread 0x01 (most recent call first):
  File "/home/me/walker.py", line 25 in close
"""
LIFE = trace(verb("make"), verb("reset"), verb("close"))


def beside(*alone: object) -> View:
    return replace(vector_view(LAUNCH), other_places=(*direct_view(LIFE).traces, *alone))  # type: ignore[arg-type]


def test_error_without_a_manager_is_the_environments() -> None:
    early = trace(verb("make"), verb("close", "raised", error=ERROR), name="unreset")
    (finding,) = worker_does_not_start.judge(beside(early))
    assert finding.blame == ENVIRONMENT
    assert (
        finding.remedy.text
        == "repair the line that is shown: without a manager close() before the first reset() raises"
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


@pytest.mark.parametrize(
    ("events", "stacks", "codes"),
    [
        ((verb("make", "began"), CLOSING), IN_CLOSE, ["CLS004"]),
        ((verb("make", "began"), CLOSING), "", ["VEC001"]),
        ((CLOSING, verb("make", "began")), "", ["VEC001"]),  # of an earlier launch
    ],
)
def test_a_launch_that_hangs_is_reported_by_one_rule(
    events: tuple[Event, ...], stacks: str, codes: list[str]
) -> None:
    launch = replace(LAUNCH, events=events, outcome=Outcome(TIMED_OUT, verb="make", stacks=stacks))
    view = replace(vector_view(launch), other_places=direct_view(LIFE).traces)
    found = [rule.code for rule in RULES if list(rule.judge(view))]
    assert found == codes


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        ("Walker", "give Walker `reward_space`, which gymnasium-async reads of it."),
        (
            "Manager",
            "repair what gymnasium-async reports; without a manager the environment can be built.",
        ),
    ],
)
def test_attribute_that_a_manager_reads_is_named(owner: str, text: str) -> None:
    error = raised("builtins.AttributeError", f"'{owner}' object has no attribute 'reward_space'")
    failed = verb("make", "raised", error={**error, "user": None})
    launch = trace(failed, manager="gymnasium-async", start_method="spawn")
    view = vector_view(launch, env_class="walker.Walker")
    (finding,) = worker_does_not_start.judge(replace(view, other_places=direct_view(LIFE).traces))
    assert finding.remedy.text == text


@pytest.mark.parametrize("fails_alone", [True, False])
def test_address_that_is_in_use_without_a_manager_too_is_not_the_vectorizers(
    fails_alone: bool,
) -> None:
    failed = trace(verb("make", "raised", error=ADDRESS_IN_USE), name="ports")
    view = beside(failed) if fails_alone else beside()
    error = next(iter(failed.verbs("make", "raised"))).error
    assert fails_alone_too(view, error) is fails_alone
    assert not fails_alone_too(view, None)
