"""The last thing that a call asks for fails as it fails on a full machine: once, and in its own
thread only.
"""

from __future__ import annotations

import contextlib
import gc
import linecache
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envdoctor.probe.tracing.denials import Denials


def denied(act: Callable[[], Any]) -> Denials:
    """`act` is counted, then it is denied the last thing that it asks for."""
    denials = Denials()
    with denials.counting():
        act()
    with denials.denying(lambda: ["descriptors"]):
        act()
    return denials


def run_child() -> None:
    subprocess.run([sys.executable, "-S", "-c", ""], check=True)


def start_thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda: open(os.devnull).close(), "Too many open files"),
        (lambda: socket.socket().close(), "Too many open files"),
        (run_child, "Resource temporarily unavailable"),
        (start_thread, "can't start new thread"),
    ],
    ids=["file", "socket", "process", "thread"],
)
def test_denied_call_raises_the_error_of_the_system(act: Callable[[], Any], error: str) -> None:
    with pytest.raises((OSError, RuntimeError), match=error):
        denied(act)
    act()  # and only there


def test_source_lines_read_by_linecache_are_not_counted(tmp_path: Path) -> None:
    source = tmp_path / "maze.py"
    source.write_text("walls = 4\n")
    denials = Denials()
    with denials.counting():
        assert linecache.getline(str(source), 1) == "walls = 4\n"
    assert denials.asked == 0


def test_retry_after_a_denial_succeeds() -> None:
    def persistent() -> None:
        try:
            open(os.devnull).close()
        except OSError:
            open(os.devnull).close()

    told = denied(persistent)
    assert (told.asked, told.denied, told.acquired) == (1, "open", ["descriptors"])


def test_calls_of_another_thread_are_not_counted() -> None:
    def asking_elsewhere() -> None:
        thread = threading.Thread(target=lambda: open(os.devnull).close())
        thread.start()
        thread.join()

    denials = Denials()
    with denials.counting():
        asking_elsewhere()
    assert denials.asked == 1


def test_an_import_asks_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lately_imported.py").write_text("SPEED = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    denials = Denials()
    with denials.counting():
        __import__("lately_imported")
    assert denials.asked == 0


def test_a_socket_over_a_descriptor_that_is_there_is_not_asked_for() -> None:
    """A full machine does not fail there, and Python would lose the descriptor."""

    def connect() -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname()),
        ):
            server.accept()[0].close()

    with pytest.raises(ConnectionRefusedError):
        denied(connect)


def test_nothing_of_the_error_keeps_what_raised_it() -> None:
    class Arm:
        def reset(self) -> None:
            with open(os.devnull):
                pass

    arm = Arm()
    reference = weakref.ref(arm)
    gc.collect()
    gc.disable()
    try:
        with contextlib.suppress(OSError):
            denied(arm.reset)
        del arm
        assert reference() is None
    finally:
        gc.enable()
