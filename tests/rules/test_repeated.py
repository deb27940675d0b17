"""Too few repeated steps do not pass a rule that needs many."""

from __future__ import annotations

import pytest

from envdoctor.model.records import VerbRecord
from envdoctor.rules.contract.api012_collects_garbage_by_hand import share
from envdoctor.rules.contract.api014_fails_when_repeated import fails_when_repeated
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.leak.lek011_grows_until_collected import grows_until_collected

METERS = {"before": {"objects": 1}, "after": {"objects": 1}}


@pytest.mark.parametrize("rule", [fails_when_repeated, grows_until_collected])
@pytest.mark.parametrize(
    ("steps", "raised", "reason"),
    [
        (1, 0, "steps are slow: only 70 were repeated, in 70 episodes"),
        (20, 0, ""),
        (1, 7, ""),  # a step that fails was seen to fail
        (0, 0, ""),  # it has none
    ],
)
def test_slow_steps_leave_much_unseen(rule: Rule, steps: int, raised: int, reason: str) -> None:
    block = {"creates": 7, "resets": 7, "steps": 7 * steps, "step_raised": raised, **METERS}
    blocks = [verb(f"block:7x1x{steps}", block=block) for _ in range(10)]
    assert rule.unjudged(direct_view(trace(*blocks, name="leak"))) == reason


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1.0, " (50 % of their time)"),
        (2.0, " (100 % of their time)"),
        (3.0, " (100 % of their time)"),
    ],
)
def test_share_of_the_time_is_at_most_all_of_it(seconds: float, words: str) -> None:
    calls = trace(verb("reset", seconds=0.5), verb("step:3", at=1, seconds=1.5))
    assert share(seconds, list(calls.records(VerbRecord))) == words
    assert share(seconds, []) == ""
