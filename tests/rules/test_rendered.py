"""Render modes without a request for them: judged by themselves, as notes, and never twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.trace import EXITED, SIGNALLED, TIMED_OUT, Outcome, Trace
from envdoctor.rules.engine.examples import (
    LIFE,
    fact,
    life_trace,
    longer_pair,
    raised,
    trace,
    verb,
)
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.drawing_contexts import two_drawn

FOUND = Known(is_found=True, env_class="sick.Sick")
LEFT = {"7": "pipe:[5]"}


def life(left: dict[str, str], name: str = "life", mode: str = "") -> Trace:
    played = life_trace(
        name,
        before={"descriptors": {}},
        held={"descriptors": left},
        dropped={"descriptors": {}},
        collected={"descriptors": {}},
    )
    options = (("render_mode", mode),) if mode else ()
    return replace(played, scenario=replace(played.scenario, options=options))


def judged(*traces: Trace, code: str = "CLS006") -> Judgement:
    return judge("Sick-v0", FOUND, traces, [all_rules()[code]])


def told(judgement: Judgement) -> list[tuple[str, str]]:
    return [(finding.severity, finding.message) for finding in judgement.findings]


def test_leftovers_only_of_drawing_are_a_note() -> None:
    judgement = judged(life({}), life(LEFT, "rendered", "rgb_array"), life({}, "rendered", "human"))
    ((severity, message),) = told(judgement)
    assert severity == "note"
    assert message.endswith('pipe:[5], with render_mode="rgb_array" only')
    assert judgement.findings[0].blame == "environment"


def test_both_modes_are_reported_at_once() -> None:
    ((_, message),) = told(
        judged(life({}), life(LEFT, "rendered", "rgb_array"), life(LEFT, "rendered", "human"))
    )
    assert message.endswith('with render_mode="rgb_array" or "human" only')


def test_explained_leftovers_are_not_told_of_drawing() -> None:
    """A handler of a signal is a method: who kept the instance is told by SFX001 alone."""
    held = {"signals": {"SIGTERM": "arm.Arm.stop"}}
    plain = life_trace(before={"signals": {"SIGTERM": "default"}}, made=held, held=held)
    rendered = life_trace("rendered", before=held, made=held, held=held)
    chain = "signal.getsignal(SIGTERM).__self__"
    survivors = {"life": 0, "closed": True, "dropped": 1, "collected": 1, "bytes": 0}
    stayed = fact("survivors", {**survivors, "chains": [chain]})
    lives = [replace(each, events=(*each.events, stayed)) for each in (plain, rendered)]
    rules = [all_rules()[code] for code in ("CLS012", "SFX001")]
    judgement = judge("Sick-v0", FOUND, lives, rules)
    assert [finding.code for finding in judgement.findings] == ["SFX001"]
    assert ("CLS012", "explained by SFX001") in {
        (one.code, one.reason) for one in judgement.skipped
    }


def test_leftovers_without_drawing_are_reported_once() -> None:
    ((severity, message),) = told(judged(life(LEFT), life(LEFT, "rendered", "human")))
    assert severity == "error"
    assert "render_mode" not in message


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (
            {"outcome": SIGNALLED, "signal": "SIGABRT", "verb": "render"},
            "the process ended in render (SIGABRT)",
        ),
        (
            {"outcome": EXITED, "exit_code": 1},
            "the process ended in the middle of it (exit code 1)",
        ),
        (
            {"outcome": TIMED_OUT, "verb": "step:3", "seconds": 30.0},
            "it did not come back from step:3 for 30 s",
        ),
    ],
)
def test_mode_that_cannot_be_drawn_is_skipped_with_the_reason(
    ending: dict[str, Any], reason: str
) -> None:
    drawn = trace(name="rendered", script=LIFE, options=(("render_mode", "human"),), **ending)
    judgement = judged(life({}), drawn, code="CLS019")
    assert judgement.findings == ()
    assert f'render_mode="human" could not be played: {reason}' in [
        one.reason for one in judgement.skipped
    ]
    # No death in the life of those who never render.
    assert judged(life({}), drawn, code="PRC003").findings == ()


def test_an_error_while_it_is_drawn_is_a_reason_too() -> None:
    drawn = trace(
        verb("make", "raised", error=raised("ImportError", "no pygame")),
        name="rendered",
        options=(("render_mode", "human"),),
    )
    judgement = judged(life({}), drawn, code="CLS019")
    assert 'render_mode="human" could not be played: ImportError: no pygame' in [
        one.reason for one in judgement.skipped
    ]


@pytest.mark.parametrize(
    ("kind", "file", "told_of"),
    [
        ("builtins.AttributeError", "env.py", True),
        ("builtins.ImportError", "env.py", False),  # what is not installed here
        ("pygame.error", "env.py", False),  # no screen
        ("builtins.TypeError", "/usr/lib/glfw.py", False),  # a library without one
    ],
)
def test_a_mistake_of_the_environment_while_it_is_drawn_is_a_note(
    kind: str, file: str, told_of: bool
) -> None:
    error = {**raised(kind, "no _canvas", file, 30, "render"), "user": None}
    error["user"] = 0 if file == "env.py" else None
    drawn = [
        trace(
            verb("make"),
            verb("render", "raised", error=error),
            name="rendered",
            options=(("render_mode", mode),),
        )
        for mode in ("rgb_array", "human")
    ]
    judgement = judged(life({}), *drawn, code="API015")
    assert [one.severity for one in judgement.findings] == ["note"] * told_of
    for finding in judgement.findings:
        assert finding.message.endswith('with render_mode="rgb_array" or "human" only')
        assert (finding.location.file, finding.location.line) == ("env.py", 30)


def test_two_windows_that_end_the_process_are_not_judged() -> None:
    both = trace(name="two-at-once", script=LIFE)
    drawn = trace(
        name="two-windows",
        outcome=SIGNALLED,
        signal="SIGSEGV",
        verb="step@0",
        options=(("render_mode", "human"),),
    )
    words = ("make", "reset@0", "step:3@0", "close@0")
    judgement = judged(
        trace(verb("step:20")), replace(both, events=tuple(map(verb, words))), drawn, code="MAK005"
    )
    assert judgement.findings == ()
    assert [one.reason for one in judgement.skipped] == [
        (
            'two instances with render_mode="human" could not be played: the process ended in'
            " step@0 (SIGSEGV)"
        )
    ]


CHANGED = {"key": "observation", "what": "value", "values": ["0", "250"], "place": [4, 9, 0]}
SAME = {"calls": 9, "unknown": [], "difference": None}
SCRIPT = "make make reset@0 reset@1 step:3@0 step:3@1"


def beside(call: str, mode: str) -> tuple[Trace, Trace, Trace]:
    """A plain life, two instances, and their images, of which `call` of the first one differs."""
    changed = {**SAME, "difference": {**CHANGED, "call": call, "step": 2}}
    images = two_drawn(compared=[changed, SAME])
    options = (("render_mode", mode),) if mode else ()
    drawn = replace(images, scenario=replace(images.scenario, options=options))
    alone = fact("side-by-side", {"alone": SAME, "instances": [SAME, SAME]})
    calls = [verb(word, at=at) for at, word in enumerate(SCRIPT.split())]
    return life({}), trace(*calls, alone, name="two-at-once", script=SCRIPT), drawn


@pytest.mark.parametrize(("mode", "severity"), [("", "error"), ("rgb_array", "note")])
def test_images_that_depend_on_another_instance(mode: str, severity: str) -> None:
    ((reported, message),) = told(judged(*beside("render", mode), code="MAK005"))
    assert reported == severity
    assert "the image of render() is not what it is when it is alone, after step 2" in message
    assert message.endswith('with render_mode="rgb_array" only') is bool(mode)


def test_images_are_not_accused_of_what_step_returns_or_of_chance() -> None:
    assert told(judged(*beside("step", "rgb_array"), code="MAK005")) == []
    by_chance = (*beside("render", "rgb_array"), longer_pair())
    assert told(judged(*by_chance, code="MAK005")) == []


def test_images_that_end_the_process_are_not_judged() -> None:
    alone, both, images = beside("step", "rgb_array")
    crashed = replace(images, outcome=Outcome(SIGNALLED, signal="SIGSEGV", verb="render@1"))
    judgement = judged(alone, both, crashed, code="MAK005")
    assert told(judgement) == []
    reasons = [skipped.reason for skipped in judgement.skipped]
    assert any("two instances that draw could not be played" in reason for reason in reasons)
