"""Handlers that a library in C puts in the place of Python's."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from envdoctor.probe.sensors import signals
from envdoctor.probe.system import signal_handlers

C = ctypes.CDLL(None)
C.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
C.signal.restype = ctypes.c_void_p

CONTEXT: Any = None  # who handles a signal does not depend on it


@pytest.fixture
def by_python() -> Iterator[int]:
    """A signal that Python handles; it is put back as it was."""
    earlier = signal.signal(signal.SIGUSR2, lambda _number, _frame: None)
    yield signal.SIGUSR2
    signal.signal(signal.SIGUSR2, earlier)


def test_a_handler_of_pythons_is_its_own(by_python: int) -> None:
    assert signal_handlers.replaced_by(by_python) == ""
    assert "<lambda>" in signals.read(CONTEXT)["SIGUSR2"]


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (ctypes.cast(C.abs, ctypes.c_void_p).value, "native handler"),
        (0, "default"),
        (1, "ignored"),
    ],
    ids=["function", "default", "ignored"],
)
def test_handler_that_c_sets_in_its_place_is_seen(by_python: int, address: int, text: str) -> None:
    C.signal(by_python, address)
    assert signals.read(CONTEXT)["SIGUSR2"] == text


def test_off_the_main_thread_nothing_is_said(
    by_python: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal_handlers, "_pythons", {})
    C.signal(by_python, 1)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(signal_handlers.replaced_by(by_python)))
    thread.start()
    thread.join(10)
    assert said == [""]


def test_the_signal_that_is_borrowed_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal_handlers, "_pythons", {})
    assert signal_handlers.replaced_by(signal.SIGINT) == ""
    assert [signal.getsignal(getattr(signal, name)) for name in signal_handlers.QUIET] == [
        signal.SIG_DFL,
        signal.SIG_DFL,
    ]
