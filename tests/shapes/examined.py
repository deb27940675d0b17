"""Examinations of the environments beside this file, each made once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine

ENVS = Path(__file__).parent / "envs"

#: The file of each shape that is an API beside single instances, as it is played in every run.
SHAPES = {
    "parallel": "parallel.py",
    "aec": "aec.py",
    "timesteps": "timesteps.py",
    "rows": "rows.py",
    "words": "words.py",
    "players": "players.py",
}

#: The others, which have tests of their own as well.
OTHERS = {
    "single": "singles.py",
    "duck": "ducks.py",
    "coroutines": "coroutines.py",
    "conversations": "conversations.py",
    "sessions": "standin/sessions.py",
    "tools": "toolboxes.py",
}
#: Those that need their framework, and the variable that names an interpreter with it.
FOREIGN = {
    "gym": ("gyms.py", "ENVDOCTOR_DING_PYTHON"),
    "torchrl": ("specified.py", "ENVDOCTOR_TORCHRL_PYTHON"),
    "di-engine": ("managed.py", "ENVDOCTOR_DING_PYTHON"),
}
EVERY = SHAPES | OTHERS | {shape: file for shape, (file, _) in FOREIGN.items()}


def spec(shape: str, name: str) -> str:
    """The SPEC of one kind of environment in one shape."""
    return f"{EVERY[shape]}:{name}"


@cache
def examined(name: str, *arguments: str, among: frozenset[str] = frozenset(SHAPES)) -> Any:
    """One kind of environment in each of these shapes, at once: (exit code, JSON document)."""
    return together(*(spec(shape, name) for shape in sorted(among)), arguments=arguments)


@cache
def foreign(shape: str) -> tuple[int, dict[str, Any]]:
    """The healthy one of such a shape; the test is skipped where there is no interpreter for it."""
    _, variable = FOREIGN[shape]
    if variable not in os.environ:
        pytest.skip(way_to(variable))
    return together(spec(shape, "Healthy"), arguments=("--python", os.environ[variable]))


def together(*specs: str, arguments: Iterable[str] = ()) -> tuple[int, dict[str, Any]]:
    """Some environments without a manager, two at a time. Remedies stay words."""
    words = ("--managers", "direct", "--jobs", "2", "--no-try-remedies")
    return examine(*specs, *words, *arguments, cwd=ENVS)


def of(document: dict[str, Any], spec: str) -> dict[str, str]:
    """{code: message} of the findings in one environment."""
    return {
        finding["code"]: finding["message"]
        for finding in document["findings"]
        if finding["subject"] == spec
    }


def passed(document: dict[str, Any], spec: str) -> set[str]:
    """The codes of the rules that passed in one environment."""
    return {rule["code"] for rule in document["passed"] if rule["subject"] == spec}


def skipped(document: dict[str, Any], spec: str) -> dict[str, str]:
    """{code: reason} of the rules that were not judged in one environment."""
    return {rule["code"]: rule["reason"] for rule in document["skipped"] if rule["subject"] == spec}
