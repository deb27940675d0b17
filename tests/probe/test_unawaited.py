"""Coroutines that are made in a line of the user's and never run."""

from __future__ import annotations

import asyncio
import sys
import warnings
from typing import Any

import pytest

from envdoctor.probe.tracing import unawaited


async def work() -> None:
    """Never runs."""


def heard(act: Any, users: str = __file__) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    with unawaited.listening(told.append, lambda file: file == users):
        act()
    return told


def test_unawaited_coroutine_is_reported_and_python_still_warns() -> None:
    with pytest.warns(RuntimeWarning, match="work' was never awaited"):
        (told,) = heard(work)
    assert told["name"] == "work"
    assert told["place"]["file"] == __file__


def test_awaited_coroutine_is_not_reported() -> None:
    assert heard(lambda: asyncio.run(work())) == []


def test_coroutines_of_a_library_are_not_reported() -> None:
    with pytest.warns(RuntimeWarning):
        assert heard(work, users="elsewhere.py") == []


def test_nothing_of_it_is_left() -> None:
    before = warnings._warn_unawaited_coroutine  # type: ignore[attr-defined]

    def act() -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        heard(act)
    assert warnings._warn_unawaited_coroutine is before  # type: ignore[attr-defined]
    assert sys.get_coroutine_origin_tracking_depth() == 0
