"""The options of a sweep, as words of each `check` that it starts."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from envdoctor.cli import command_options
from envdoctor.cli.sweep_plan import PlanOptions
from envdoctor.request.options import CheckOptions
from envdoctor.sweep.plans import PlanEntry

#: Not handed on: a sweep keeps what was found before any policy is applied.
OWN = {"fail_on"}
VALUES: dict[str, Any] = {
    "python": sys.executable,
    "select": ("CLS",),
    "ignore": ("LEK",),
    "managers": ("direct",),
    "start_methods": ("spawn",),
    "timeout": 5.0,
    "memory_limit": "1G",
    "seed": 3,
    "action": "1",
    "actions": "a.py:act",
    "budget": "5s",
}


@pytest.mark.parametrize("name", sorted(command_options.SWEEP.keys() - OWN))
def test_each_option_reaches_each_check(name: str) -> None:
    asked = CheckOptions(**{name: VALUES.get(name, True)})
    words = PlanOptions(asked).words(frozenset({name}))
    assert command_options.SWEEP[name].__metadata__[0].default in words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (PlanEntry("A", action="2"), ("--action", "2")),
        (PlanEntry("A", actions="b.py:act"), ("--actions", "b.py:act")),
        (PlanEntry("A"), ("--action", "1")),
    ],
)
def test_actions_of_a_line_replace_those_of_the_command_line(
    line: PlanEntry, words: tuple[str, ...]
) -> None:
    assert PlanOptions(CheckOptions(action="1")).of(line).words(frozenset()) == words
