"""Threads of the object that an environment is a copy of."""

from __future__ import annotations

import copy
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from envdoctor.probe.tracing.instrument import thread_of_original

_players: list[Player] = []


class Player:
    """Has a thread that waits for an order."""

    shared = queue.Queue[int]()

    def __init__(self, *given: object) -> None:
        self.given = given
        self.orders: queue.Queue[int] = queue.Queue()
        self.battle = threading.Thread(target=self.fight, daemon=True)
        self.battle.start()
        _players.append(self)

    def fight(self) -> None:
        self.orders.get()


class OldPlayer(Player):
    """The same with an older interface."""


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    yield
    for player in _players:
        player.orders.put(0)
        player.battle.join(9.0)
    _players.clear()


def shallow() -> Player:
    return copy.copy(Player())


def of_another_class() -> Player:
    player = copy.copy(Player())
    player.__class__ = OldPlayer
    return player


def that_was_reset() -> Player:
    player = copy.copy(Player())
    player.given = ("later",)
    return player


@pytest.mark.parametrize("make", [shallow, of_another_class, that_was_reset])
def test_thread_of_what_was_copied_is_named(make: Callable[[], Player]) -> None:
    assert thread_of_original(make()) == "Player.fight"


def plain() -> Player:
    return Player()


def beside_another() -> Player:
    config: dict[str, Any] = {}
    return [Player(config), Player(config)][0]


def around_another() -> OldPlayer:
    player = OldPlayer()
    player.inner = Player()  # type: ignore[attr-defined]
    player.helper = player.inner.battle  # type: ignore[attr-defined]
    return player


def whose_thread_is_over() -> Player:
    player = copy.copy(Player())
    player.orders.put(0)
    player.battle.join(9.0)
    return player


@pytest.mark.parametrize(
    "make", [plain, beside_another, around_another, whose_thread_is_over, object, lambda: 3]
)
def test_other_threads_are_not(make: Callable[[], object]) -> None:
    assert thread_of_original(make()) == ""
