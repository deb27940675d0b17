"""A thread of its own makes all calls of an instance: the text after the edits, and that it does."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from envdoctor.model.environment_aims import OneThread
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source

PAGE = """\
    import functools, threading

    class Env:
        def close(self):
            self.closed = True

    class Arm({base}):
        closed = False

        def reset(self, *, seed=None):
            self.thread = threading.get_ident()
            return self.look()

        @functools.lru_cache(maxsize=None)
        def step(self, action):
            assert threading.get_ident() == self.thread
            if action is None:
                raise ValueError("no action")
            return action

        def look(self):
            return {look}

        {method}
"""


def page(base: str = "Env", look: str = "0", method: str = "pass") -> str:
    return PAGE.format(base=base, look=look, method=method)


def made(text: str) -> Any:
    """An instance of the class after the edits."""
    names: dict[str, Any] = {}
    exec(applied(OneThread(), source(text)), names)
    return names["Arm"]()


@pytest.mark.parametrize("base", ["Env", "object"])
def test_one_thread_makes_all_calls_and_ends_with_close(base: str) -> None:
    before, arm = threading.active_count(), made(page(base))
    assert arm.reset() == 0
    assert arm.step(3) == 3
    assert arm.thread != threading.get_ident()
    with pytest.raises(ValueError, match="no action"):
        arm.step(None)
    arm.close()
    assert arm.closed == (base == "Env")
    assert threading.active_count() == before


def test_closed_instance_can_be_reset() -> None:
    arm = made(page(method="def close(self): self.closed = True"))
    arm.reset()
    arm.close()
    assert arm.closed
    assert arm.reset() == 0
    arm.close()


def test_second_instance_has_a_thread_of_its_own() -> None:
    arm = made(page())
    other = type(arm)()
    arm.reset()
    other.reset()
    assert arm.thread != other.thread
    arm.close()
    other.close()


@pytest.mark.parametrize(
    "text",
    [
        page(look="self.step(0)"),  # the thread would wait for itself
        page(method="async def close(self): pass"),
        page(method="_own_thread = None"),
        page().replace("def reset", "def start"),
    ],
    ids=["a call in a call", "a coroutine", "a name that is there", "no reset"],
)
def test_class_that_cannot_wait_for_its_thread_stays(text: str) -> None:
    where = source(text)
    assert list(candidates(OneThread(), where)) == []


DATABASE = """\
    import sqlite3

    class Arm:
        def __init__(self, path):
            self.database = {call}

        def reset(self):
            return 0
"""


@pytest.mark.parametrize(
    ("call", "shared"),
    [
        ("sqlite3.connect(path)", "sqlite3.connect(path, check_same_thread=False)"),
        ("sqlite3.connect(path, 5.0)", "sqlite3.connect(path, 5.0, check_same_thread=False)"),
    ],
)
def test_connection_is_for_all_threads(call: str, shared: str) -> None:
    where = source(DATABASE.format(call=call))
    assert f"self.database = {shared}\n" in applied(OneThread(), where)


@pytest.mark.parametrize(
    "call", ["sqlite3.connect(path, check_same_thread=True)", "sqlite3.connect(path, **options)"]
)
def test_connection_that_says_so_itself_stays(call: str) -> None:
    text = applied(OneThread(), source(DATABASE.format(call=call)))
    assert f"self.database = {call}\n" in text
