"""Forked children of one process that has collected the tests: as many at once as there are jobs."""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Seconds after which a child ends itself. That proves nothing: a busy machine may be the cause.
PATIENCE = 600

Say = Callable[[Any], None]


@dataclass(frozen=True)
class Order:
    """Work of a child. It says values, which its parent gets when it has ended."""

    subject: Any
    work: Callable[[Say], None]


@dataclass(frozen=True)
class Ending:
    """Values that a child said, and its end: 0, its exit code, or minus the signal."""

    said: list[Any]
    code: int
    error: str = ""


@dataclass(frozen=True)
class _Error:
    """A failure of a child itself."""

    traceback: str


def play(orders: deque[Order], jobs: int) -> Iterator[tuple[Order, Ending]]:
    """Each order in a child of its own; yields as they end. Orders may be added meanwhile."""
    running: dict[int, Order] = {}
    with tempfile.TemporaryDirectory() as folder:
        while orders or running:
            while orders and len(running) < jobs:
                order = orders.popleft()
                running[_fork(order, Path(folder))] = order
            pid, status = os.wait()
            if pid in running:
                file = Path(folder, str(pid))
                said = list(_read(file))
                error = said.pop().traceback if said and isinstance(said[-1], _Error) else ""
                yield running.pop(pid), Ending(said, os.waitstatus_to_exitcode(status), error)
                file.unlink(missing_ok=True)


def _fork(order: Order, folder: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        with Path(folder, str(os.getpid())).open("wb", buffering=0) as file:
            try:
                order.work(lambda value: _write(file, value))
                code = 0
            except BaseException:
                _write(file, _Error(traceback.format_exc()))
    finally:
        os._exit(code)


def _write(file: Any, value: Any) -> None:
    file.write(pickle.dumps(value))


def _read(file: Path) -> Iterator[Any]:
    """The values in a file; one that was cut short is left out."""
    if not file.exists():
        return
    with file.open("rb") as stream:
        while True:
            try:
                yield pickle.load(stream)
            except (EOFError, pickle.UnpicklingError):
                return
