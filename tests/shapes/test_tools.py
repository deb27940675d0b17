"""Environments of tools, as TRL's `environment_factory` makes them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.shapes.examined import ENVS, of, passed, skipped, together
from tests.support.zoo import examine


@cache
def examined() -> tuple[int, dict[str, Any]]:
    specs = ("tools.py:Healthy", "tools.py:Shell")
    return together(*specs, arguments=("--select", "API,CLS,DET,HNG,MAK,RUS"))


@pytest.mark.everything
def test_a_healthy_one_is_healthy_and_its_tools_are_called() -> None:
    _, document = examined()
    assert of(document, "tools.py:Healthy") == {}
    assert {"API012", "CLS006", "CLS008", "CLS012", "MAK001"} <= passed(
        document, "tools.py:Healthy"
    )
    left_out = skipped(document, "tools.py:Healthy")
    assert left_out["CLS001"] == "it has no close()"
    assert left_out["DET001"] == "it cannot be seeded"


@pytest.mark.everything
def test_process_ended_only_by_a_tool_is_found() -> None:
    exit_code, document = examined()
    assert exit_code == 1
    (finding,) = (one for one in document["findings"] if one["severity"] == "error")
    assert finding["code"] == "CLS008"
    assert finding["message"].startswith(
        "close() is a tool that the model may call, and nothing else calls it: once given up, it"
        " leaves 1 process running"
    )
    assert "what Shell gives weakref.finalize()" in finding["remedy"]["text"]


@pytest.mark.everything(but=["Insisting"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Insisting", "reset() insists on question, and what to give it is not known"),
        ("Untyped", "none of its tools says of which types its arguments are"),
    ],
)
def test_one_that_cannot_be_played_is_not_accused(name: str, why: str) -> None:
    exit_code, document = examine(f"tools.py:{name}", "--managers", "direct", cwd=ENVS)
    assert exit_code == 4
    assert document["findings"] == []
    assert any(why in one["reason"] for one in document["skipped"])
