"""step() that does not say when an episode is over is not blamed for what it raises later."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.events import Event
from envdoctor.probe import environment_api, refusals
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.episodes import whole_episode_missing
from envdoctor.rules.evidence.failures import failures

OVER = raised("AssertionError", "reset first", "cards.py", 31, "step")
UNREAD = fact("end-unread", {"values": 2})


def failing(at: int, *facts: Event, call: str = "episode:2000") -> View:
    event = verb(call, "raised", at=2, error=OVER, episode=1, step=at)
    return direct_view(
        trace(verb("make"), verb("reset", at=1), *facts, name="life"),
        trace(verb("make"), verb("reset", at=1), event, name="episode"),
    )


@pytest.mark.parametrize("call", ["episode:2000", "step:20"])
def test_step_after_an_end_that_cannot_be_read_is_not_judged(call: str) -> None:
    view = failing(48, UNREAD, call=call)
    assert list(failures(view)) == []
    assert whole_episode_missing(view) == (
        "step() returns 2 values, which do not say when an episode is over"
    )


def test_step_that_fails_before_any_end_is_blamed() -> None:
    assert [failure.call for failure in failures(failing(1, UNREAD))] == ["step()"]
    assert [failure.call for failure in failures(failing(48))] == ["step()"]


class Cards:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def step(self, action: int) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        (({}, 1), [{"values": 2}]),
        ((0, 1.0, 0.5, False, False, {}), [{"values": 6}]),
        (0, [{"values": 1}]),
        ((0, 1.0, True, {}), []),
        ((0, 1.0, True, False, {}), []),
    ],
)
def test_answer_without_an_end_is_noted_once(
    monkeypatch: pytest.MonkeyPatch, answer: Any, facts: list[dict[str, int]]
) -> None:
    monkeypatch.setattr(refusals, "_values", [])
    monkeypatch.setattr(refusals, "_written", [])
    written: list[dict[str, int]] = []
    for _ in range(2):
        environment_api.transition(Cards(answer), 0)
        refusals.tell_end_unread(written.append)
    assert written == facts
