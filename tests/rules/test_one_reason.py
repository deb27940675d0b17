"""A cause that stops an environment early is one reason for all that was not judged, not one for
each way to miss it.
"""

from __future__ import annotations

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import LIFE, raised, reading, trace, verb
from envdoctor.rules.engine.judging import judge
from envdoctor.rules.engine.registry import all_rules

FOUND = Known(is_found=True, env_class="sick.Sick")
CONSTRUCTOR = "the constructor raises ValueError, so the rest was not seen"


def stopped(at: str, **place: object) -> Trace:
    """A life in which a verb raises; what comes after it is not called, but for the drop."""
    words = LIFE.split()
    number = next(n for n, word in enumerate(words) if word.startswith(at))
    events = [verb(word, at=n) for n, word in enumerate(words[:number])]
    error = raised("ValueError", "no licence", function="__init__")
    sensors = {sensor: {} for rule in all_rules().values() for sensor in rule.sensors}
    read = [reading(point, sensors) for point in ("before", "held", "dropped")]
    return trace(*events, verb(words[number], "raised", error=error), verb("drop"), *read, **place)


def reasons(*traces: Trace) -> dict[tuple[str, str], set[str]]:
    """Each reason of a place, with the rules that were not judged for it."""
    found: dict[tuple[str, str], set[str]] = {}
    for one in judge("Sick-v0", FOUND, traces, all_rules().values()).skipped:
        found.setdefault((one.manager, one.reason), set()).add(one.code)
    return found


def test_a_failing_constructor_is_one_reason() -> None:
    found = reasons(stopped("make"))
    assert set(found) == {("direct", CONSTRUCTOR)}
    assert {"API001", "LEK001", "CLS001", "CLS004", "DET002", "MAK004"} <= found[
        "direct", CONSTRUCTOR
    ]


def test_a_launch_that_fails_is_one_reason_of_its_place() -> None:
    launch = "the launch of gymnasium-sync raises ValueError, so the rest was not seen"
    alone = trace(*(verb(word, at=at) for at, word in enumerate(LIFE.split())))
    found = reasons(alone, stopped("make", manager="gymnasium-sync"))
    told = {reason for manager, reason in found if manager == "gymnasium-sync"}
    assert launch in told
    assert not any("reached" in reason or "could not be made" in reason for reason in told)


@pytest.mark.parametrize("verb_that_raises", ["reset", "step"])
def test_a_call_that_raises_is_the_reason_for_all_that_comes_after_it(
    verb_that_raises: str,
) -> None:
    found = reasons(stopped(verb_that_raises))
    reason = f"{verb_that_raises}() raises ValueError, so the rest was not seen"
    assert {"CLS001", "CLS006", "CLS007"} <= found["direct", reason]
    assert not any(f"{verb_that_raises} was never reached" in other for _, other in found)
    assert not any("close was never reached" in other for _, other in found)
