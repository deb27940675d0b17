"""A deep copy that recurses without an end is told from one that cannot be made."""

from __future__ import annotations

import threading
from types import SimpleNamespace

from envdoctor.probe.comparison.side_by_side import use_a_copy
from envdoctor.probe.ownership import Ownership


class AsksItself:
    def __init__(self):
        self.env = object()

    def __getattr__(self, name):
        return getattr(self.env, name)


class HasLock:
    def __init__(self):
        self.lock = threading.Lock()


def used(instance):
    host = SimpleNamespace(subject=lambda: instance, actions=SimpleNamespace(given=None), info={})
    host.actions.user_actions = None
    return use_a_copy(host, 0, Ownership())


def test_endless_recursion_has_its_line():
    result = used(AsksItself())
    error = result["error"]
    assert error["type"].endswith("RecursionError")
    assert error["frames"][error["user"]]["function"].endswith("__getattr__")


def test_other_failures_are_their_reason_alone():
    assert used(HasLock()).keys() == {"failed"}
