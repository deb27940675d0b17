"""Examinations of the environments beside this file, each made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tests.zoo import examine

ENVS = Path(__file__).parent / "envs"
SHAPES = ("parallel", "aec", "timesteps", "rows", "words", "players")


@cache
def examined(name: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """One kind of environment in each shape that has it, at once."""
    files = [shape for shape in SHAPES if f"class {name}(" in (ENVS / f"{shape}.py").read_text()]
    return together(*(f"{shape}.py:{name}" for shape in files), arguments=arguments)


def together(*specs: str, arguments: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
    """Some environments without a manager, two at a time."""
    return examine(*specs, "--managers", "direct", "--jobs", "2", *arguments, cwd=ENVS)


def of(document: dict[str, Any], spec: str) -> dict[str, str]:
    """{code: message} of the findings in one environment."""
    return {one["code"]: one["message"] for one in document["findings"] if one["subject"] == spec}


def passed(document: dict[str, Any], spec: str) -> set[str]:
    """The codes of the rules that passed in one environment."""
    return {one["code"] for one in document["passed"] if one["subject"] == spec}


def skipped(document: dict[str, Any], spec: str) -> dict[str, str]:
    """{code: reason} of the rules that were not judged in one environment."""
    return {one["code"]: one["reason"] for one in document["skipped"] if one["subject"] == spec}
