"""Exits of Python with an instance that was never closed, for real."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.zoo import examine, messages_of

DIRECT = ("--managers", "direct", "--select", "CLS017", "--select", "MAK001")


def findings(name: str) -> list[dict[str, Any]]:
    _, document = examine(f"exits.py:{name}", *DIRECT)
    assert document["summary"]["interrupted"] is False
    return [
        finding for finding in document["findings"] if finding["code"] == "CLS017"
    ] or messages_of(document, "warning")  # type: ignore[return-value]


@pytest.mark.everything
@pytest.mark.parametrize(
    ("name", "message", "function"),
    [
        (
            "HalfMade",
            (
                "HalfMade.__del__() raises AttributeError: 'HalfMade' object has no attribute"
                " '_map'; the error is only printed"
            ),
            "close",
        ),
        (
            "Crashing",
            "Python dies of SIGSEGV when it exits with an instance of Crashing that was not closed",
            "__del__",
        ),
        (
            "Listening",
            (
                "the thread listener raises AttributeError: 'NoneType' object has no attribute"
                " 'shutdown'; the error is only printed"
            ),
            "_listen",
        ),
    ],
)
def test_error_at_exit_is_reported_with_its_function(
    name: str, message: str, function: str
) -> None:
    (finding,) = findings(name)
    assert finding["message"] == message
    assert finding["location"]["function"].rpartition(".")[2] == function
    assert finding["severity"] == "warning"


@pytest.mark.everything
def test_atexit() -> None:
    (finding,) = findings("Registered")
    assert "atexit" in finding["message"]
    assert (
        "TypeError: 'NoneType' object does not support item assignment while Python exits"
        in finding["message"]
    )
    assert finding["location"]["function"] == "_save"


@pytest.mark.everything
@pytest.mark.parametrize("name", ["Staying", "Talkative"])
def test_not_accused(name: str) -> None:
    assert findings(name) == []


def test_an_exit_that_works_is_waited_for() -> None:
    _, document = examine("exits.py:Tidying", "--managers", "direct", "--select", "CLS017")
    assert [one["code"] for one in document["passed"]] == ["CLS017"]
