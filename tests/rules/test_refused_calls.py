"""Calls that one method refuses with one error are one finding."""

from __future__ import annotations

from envdoctor.model.events import Event
from envdoctor.rules.contract.api013_call_refused import call_refused
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb


def refusal(call: str, error: str) -> Event:
    values = {"call": call, "instead": "seed()", "error": error, "method": "seed"}
    return fact("refusal", values)


def test_one_method_that_refuses_two_seeds_is_reported_once() -> None:
    events = [refusal("seed(0)", "TypeError: x"), refusal("seed(1)", "TypeError: x")]
    other = [refusal("seed(2)", "TypeError: x"), refusal("seed(3)", "ValueError: y")]
    view = direct_view(trace(*events, verb("reset")), trace(*other, name="life-again"))
    messages = [finding.message for finding in call_refused.judge(view)]
    assert [message.partition(" ")[0] for message in messages] == ["seed(0)", "seed(3)"]
