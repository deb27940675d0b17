"""For tests: assertions on environments, and what the author of a rule needs to try it without a
process.

    from envdoctor.testing import assert_closes_cleanly, assert_no_growth

    def test_maze_gives_everything_back():
        assert_closes_cleanly(MazeEnv)
        assert_no_growth(MazeEnv, kwargs={"size": 5})

    def test_an_iteration_keeps_nothing():
        assert_no_growth(train.one_iteration)

Both examine it in a process of its own, so it has to stand where that can import it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from envdoctor.api import Spec, check, leak, render
from envdoctor.model.finding import OPEN, SEVERITIES, WARNING
from envdoctor.model.report import INCONCLUSIVE, Report
from envdoctor.request import choices
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    growing,
    instance,
    life_trace,
    raised,
    reading,
    sensor_life,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.registry import Example, Rule, rule
from envdoctor.rules.engine.view import View

__all__ = [
    "Example",
    "Rule",
    "View",
    "assert_closes_cleanly",
    "assert_healthy",
    "assert_no_growth",
    "direct_view",
    "examples_of",
    "fact",
    "growing",
    "instance",
    "life_trace",
    "raised",
    "reading",
    "rule",
    "run_examples",
    "sensor_life",
    "trace",
    "vector_view",
    "verb",
]


def assert_no_growth(factory: Spec, **options: Any) -> Report:
    """Nothing grows from one instance, reset or step to the next, as far as it was followed. A
    function that builds no environment, such as one iteration of a training loop, is called again
    and again: nothing grows from one call to the next. `options` are those of envdoctor.leak().

    Raises AssertionError that shows what grows, where, and who holds it; also where nothing could
    be judged.
    """
    return assert_healthy(leak(factory, **options), WARNING)


def assert_closes_cleanly(factory: Spec, **options: Any) -> Report:
    """close() comes back, raises nothing and leaves nothing. `options` are those of
    envdoctor.check(); without `managers`, only the environment itself is examined. Raises
    AssertionError that shows what is left.
    """
    return assert_healthy(
        check(factory, **{"select": ("CLS",), "managers": ("direct",), **options}), WARNING
    )


def assert_healthy(report: Report, fail_on: str = "error") -> Report:
    """The report, when it has no open finding of the severity `fail_on` or worse. Raises
    AssertionError with the whole screen, UsageError for a severity that there is not.
    """
    choices.one_of("severity", fail_on, SEVERITIES)
    severities = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    open_ones = [
        finding
        for finding in report.findings
        if finding.status == OPEN and finding.severity in severities
    ]
    if open_ones or report.verdict == INCONCLUSIVE:
        raise AssertionError("\n" + render(report, width=100))
    return report


def examples_of(rule: Rule) -> tuple[Example, ...]:
    """The EXAMPLES of a rule's file."""
    return tuple(sys.modules[rule.judge.__module__].EXAMPLES)


def run_examples(rule: Rule, examples: Iterable[Example] | None = None) -> None:
    """Judge each example of a rule. Raises AssertionError where one gives other messages than it
    should, or none of them speaks (or none is silent): such examples prove nothing.
    """
    cases = tuple(examples_of(rule) if examples is None else examples)
    assert {bool(case.expected) for case in cases} == {True, False}, (
        f"{rule.code} needs an example that speaks and one that is silent"
    )
    for case in cases:
        said = tuple(finding.message for finding in rule.judge(case.view))
        assert said == case.expected, (
            f"{rule.code}, {case.title!r}: said {said!r}, should have said {case.expected!r}"
        )
