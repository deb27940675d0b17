"""Calls of close() that reset() does not make, as the code says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from envdoctor.probe.subject.release_calls import release_calls


class Arm:
    renderer: Any = SimpleNamespace()
    world: Any = SimpleNamespace()

    def reset(self, seed=None):
        self.build()

    def build(self):
        self.world.contacts.clear()
        self.renderer.load("arm.xml")

    def close(self):
        self.renderer.clear_cached_resources()
        self.world.contacts.clear()
        self.world.remove(self)
        self.forget()
        self.renderer = None

    def forget(self):
        pass


class Hand(Arm):
    def close(self):
        if self.world is not None:
            self.world.stop()
        super().close()


class Thing:
    close = None

    def reset(self):
        pass


def test_calls_that_close_alone_makes_without_arguments_are_known() -> None:
    assert release_calls(Arm) == ["self.renderer.clear_cached_resources()"]
    assert release_calls(Hand) == ["self.world.stop()"]


def test_class_without_a_close_of_its_own_releases_nothing() -> None:
    assert release_calls(Thing) == []
    assert release_calls(int) == []
