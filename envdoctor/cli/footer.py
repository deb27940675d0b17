"""The last rows of a terminal, kept for a view while other programs write above it.

What they write goes to the terminal as it is: only the rows above scroll. A program in between that
passes their output on would end the training with its own death.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from select import POLLOUT, poll

ROWS, COLUMNS = 12, 40  # the least that a terminal has to have
PATIENCE = 1.0  # seconds for a terminal that takes nothing, once the view is to go
SAVE, RESTORE = "\x1b7", "\x1b8"  # the place of the cursor, and its style
INDEX = "\x1bD"  # one row down in the same column: the last row scrolls


class Footer:
    """The last rows of the terminal that a descriptor is of. Raises OSError where there is none.

    It has an open file of its own, which never waits: a terminal that is stopped by Ctrl-S takes
    nothing, and the training goes on being followed.
    """

    def __init__(self, descriptor: int) -> None:
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        self._descriptor = os.open(os.ttyname(descriptor), flags)
        self._height = 0
        self._size = os.terminal_size((0, 0))
        self._pending = b""

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows of a view; nothing where the terminal is too small, or where another job
        has it.
        """
        with suppress(OSError):
            if os.tcgetpgrp(self._descriptor) != os.getpgrp():
                return 0, 0
        size = os.get_terminal_size(self._descriptor)
        if size.lines < ROWS or size.columns < COLUMNS:
            return 0, 0
        return size.columns - 1, size.lines // 2

    def draw(self, lines: Sequence[str]) -> None:
        """Draw lines, each shorter than a row. The view grows where it has to, and keeps its height
        otherwise.
        """
        if not self._is_free():
            return
        size = os.get_terminal_size(self._descriptor)
        text = ""
        if self._height and size != self._size:
            text, self._height = f"{SAVE}\x1b[r{RESTORE}{SAVE}\x1b[J{RESTORE}", 0
        self._size = size
        more = len(lines) - self._height
        if more > 0:  # what is in these rows scrolls up, and the cursor with it
            text += f"{INDEX * more}\x1b[{more}A"
            self._height = len(lines)
        top = size.lines - self._height + 1
        rows = [*lines, *[""] * (self._height - len(lines))]
        drawn = "".join(f"\x1b[{top + at};1H\x1b[2K{row}" for at, row in enumerate(rows))
        self._write(f"{text}{SAVE}\x1b[1;{top - 1}r{drawn}{RESTORE}")

    def clear(self) -> None:
        """Give the rows back."""
        if not self._height:
            return
        waiting = poll()
        waiting.register(self._descriptor, POLLOUT)
        waiting.poll(PATIENCE * 1000)
        if self._is_free():
            top = self._size.lines - self._height + 1
            self._height = 0
            self._write(f"{SAVE}\x1b[r\x1b[{top};1H\x1b[J{RESTORE}")

    def _is_free(self) -> bool:
        """Return True if all output is written."""
        self._write("")
        return not self._pending

    def _write(self, text: str) -> None:
        """Write what the terminal takes now; the rest comes before what is next."""
        self._pending += text.encode(errors="replace")
        with suppress(BlockingIOError):
            while self._pending:
                self._pending = self._pending[os.write(self._descriptor, self._pending) :]
