"""The moments in which a trainer takes messages."""

from __future__ import annotations

import multiprocessing
from multiprocessing import connection, queues
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.probe.live import messages
from envdoctor.watch.boot_folder import PROCESSES


@pytest.fixture
def _as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (connection, queues):
        for name in messages.WAITING[module.__name__]:
            owner, method = name.split(".")
            kind: Any = getattr(module, owner)
            monkeypatch.setattr(kind, method, vars(kind)[method])


@pytest.mark.usefixtures("_as_before")
def test_each_message_is_a_moment_and_arrives() -> None:
    moments: list[int] = []
    hook = SimpleNamespace(waiting=lambda: moments.append(1))
    messages.take(hook, connection)
    messages.take(hook, queues)
    mine, theirs = multiprocessing.Pipe()
    with mine, theirs:
        theirs.send({"reward": 1.0})
        assert mine.recv() == {"reward": 1.0}
    queue = multiprocessing.get_context("fork").SimpleQueue()
    queue.put(7)
    assert queue.get() == 7
    queue.close()
    assert len(moments) == 2


@pytest.mark.usefixtures("_as_before")
def test_before_an_environment_is_made_nothing_is_reported() -> None:
    messages.take(SimpleNamespace(waiting=None), connection)
    mine, theirs = multiprocessing.Pipe()
    with mine, theirs:
        theirs.send(1)
        assert mine.recv() == 1


def test_the_modules_that_are_followed_are_those_whose_import_is_seen() -> None:
    followed = {name for name, ours in PROCESSES.items() if ours == messages.__name__}
    assert followed == set(messages.WAITING)
