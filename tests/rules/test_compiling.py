"""Growth beside a library that compiles at each call."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE
from envdoctor.model.facts import Compilations, Known
from envdoctor.model.facts.growth import CompilingLine
from envdoctor.model.finding import Location
from envdoctor.model.scenario import DIRECT
from envdoctor.rules.engine.examples import fact, growing, held_in, trace
from envdoctor.rules.engine.judging import Judgement, judge
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.engine.view import View
from envdoctor.rules.leak.lek001_python_objects_grow import _without_parts

SURVEY = Known(is_found=True, env_class="ball.Ball")
LINE = {"file": "/home/me/ball.py", "line": 26, "function": "Ball.step"}


def judged(count: int, *others: Any) -> Judgement:
    """Objects and bytes grow, and so much is compiled in a cycle of 1 reset and 20 steps."""
    value = {"library": "jax", "lines": [{**LINE, "count": count}], "resets": 1, "steps": 20}
    warm = trace(fact("compilations", value), name="leak-warm")
    traces = (warm, *growing(objects=5860, heap=12_000_000), *others)
    return judge("ball.py:Ball", SURVEY, traces, all_rules().values())


def test_line_that_compiles_at_each_call_is_named_once() -> None:
    judgement = judged(20)
    (finding,) = judgement.findings
    assert finding.code == "LEK001"
    assert "step() compiles anew at each call, ball.py:26, and each is kept" in finding.message
    assert finding.location == Location("/home/me/ball.py", 26, "Ball.step")
    assert finding.remedy.text.startswith("Let jax compile once")
    reasons = {each.code: each.reason for each in judgement.skipped}
    assert reasons["LEK003"] == "explained by LEK001"


def test_content_of_a_container_is_not_compiled_code() -> None:
    held = held_in("ball.SEEN", "tuple", (0, 0, 1), {"objects": 293, "heap": 600_000})
    found = judged(20, held).findings
    assert not [finding for finding in found if "compiles anew" in finding.message]


@pytest.mark.parametrize(
    ("count", "call"), [(20, "step"), (40, "step"), (19, "reset"), (1, "reset"), (0, "")]
)
def test_call_that_compiles_is_the_one_that_is_made_as_often(count: int, call: str) -> None:
    line = CompilingLine("/home/me/ball.py", 26, "Ball.step", count)
    assert Compilations("jax", (line,), resets=1, steps=20).call == call


def in_library(chain: str, objects: int) -> Any:
    """The things that the library itself keeps of each program, in a container of its own."""
    return held_in(chain, "dict", (0, 0, 1), {"objects": objects, "heap": 0})


def test_containers_of_the_library_are_not_findings_of_their_own() -> None:
    (finding,) = judged(20, in_library("jax._src.pjit._seen_attrs.data", 18)).findings
    assert "step() compiles anew at each call, ball.py:26" in finding.message
    assert "_seen_attrs" not in finding.message


def test_container_beside_compiled_programs_is_reported() -> None:
    findings = judged(20, in_library("ball.SEEN", 18)).findings
    assert any("kept in ball.SEEN" in finding.message for finding in findings)


def test_noise_beside_compiled_programs_is_much_less_than_they_are() -> None:
    value = {"library": "jax", "lines": [{**LINE, "count": 20}], "resets": 1, "steps": 20}
    warm = trace(fact("compilations", value), name="leak-warm")
    view = View("ball.py:Ball", DIRECT, None, (warm,), SURVEY)
    programs, noise, other = (
        Leak("objects", LIFECYCLE, "cycle", rate, 90, {operation: rate})
        for rate, operation in ((400.0, "step"), (11.0, "reset"), (13.0, "reset"))
    )
    assert _without_parts(view, [programs, noise, other]) == [programs, other]
    assert _without_parts(view, [noise, other]) == [noise, other]
