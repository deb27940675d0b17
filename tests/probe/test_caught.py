"""Exceptions that the user's code raises and catches, in calls that are followed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

import pytest

from envdoctor.probe.tracing.caught import ErrorTracer


class ServiceError(Exception):
    """An answer of a service."""


class Client:
    """Every 4th call fails."""

    calls = 0

    def delete(self) -> None:
        self.calls += 1
        if self.calls % 4 == 0:
            raise ServiceError("503")


def follow(call: Callable[[], object], times: int = 8) -> list[dict[str, object]]:
    errors = ErrorTracer(__file__.__eq__)
    for _ in range(times):
        errors.follow(call)
    assert sys.gettrace() is None
    return errors.as_json({"processes": {4, 8}})


def test_error_is_named_with_both_lines_and_its_calls() -> None:
    client = Client()

    def destroy() -> None:
        with contextlib.suppress(ServiceError):
            client.delete()

    (error,) = follow(destroy)
    assert (error["type"], error["message"], error["calls"]) == ("ServiceError", "503", 2)
    raised, caught = error["frame"], error["caught"]
    assert isinstance(raised, dict)
    assert isinstance(caught, dict)
    assert raised["line"] == Client.delete.__code__.co_firstlineno + 3
    assert caught["line"] == destroy.__code__.co_firstlineno + 2
    assert (raised["function"], caught["function"]) == ("delete", "destroy")
    assert error["left"] == ["processes"]


@pytest.mark.parametrize(
    ("calls", "risen", "leaves"),
    [
        (8, {4, 8}, True),
        (8, {8}, True),  # the other ended before it had started anything
        (16, {4}, False),
        (8, {3, 4, 8}, False),  # so did a call without the error
        (8, set(), False),
    ],
    ids=["each", "half", "few", "others", "none"],
)
def test_error_leaves_what_comes_with_half_of_its_calls_and_no_others(
    calls: int, risen: set[int], leaves: bool
) -> None:
    client, errors = Client(), ErrorTracer(__file__.__eq__)

    def destroy() -> None:
        with contextlib.suppress(ServiceError):
            client.delete()

    for _ in range(calls):
        errors.follow(destroy)
    (error,) = errors.as_json({"processes": risen})
    assert error["left"] == (["processes"] if leaves else [])


def test_error_of_every_call_leaves_nothing_more_than_calls_do() -> None:
    errors, client = ErrorTracer(__file__.__eq__), Client()

    def destroy() -> None:
        client.calls = 3
        with contextlib.suppress(ServiceError):
            client.delete()

    for _ in range(4):
        errors.follow(destroy)
    (error,) = errors.as_json({"processes": {1, 2, 3, 4}})
    assert (error["calls"], error["left"]) == (4, [])


@pytest.mark.parametrize(
    "call",
    [lambda: list(iter([1, 2])), lambda: next(iter([]), None), lambda: hasattr(Client, "other")],
    ids=["iterator", "generator", "attribute"],
)
def test_ordinary_ends_are_not_errors(call: Callable[[], object]) -> None:
    assert follow(call) == []


def test_error_of_a_library_that_it_catches_itself_is_not_seen() -> None:
    assert follow(lambda: sys.modules["json"].JSONDecoder().decode("1")) == []


def test_error_that_leaves_the_call_is_not_counted_and_tracing_ends() -> None:
    errors = ErrorTracer(__file__.__eq__)
    client = Client()
    client.calls = 3
    with pytest.raises(ServiceError):
        errors.follow(client.delete)
    assert sys.gettrace() is None
    errors.follow(client.delete)
    assert errors.as_json({}) == []
