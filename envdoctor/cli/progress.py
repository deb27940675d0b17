"""Progress on stderr while scenarios are played."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from envdoctor.cli.streams import say
from envdoctor.cli.writing import is_unicode

if TYPE_CHECKING:
    from rich.status import Status
    from rich.text import Text

    from envdoctor.reporters._lines import Line

REMIND_AFTER = 10.0  # seconds with nothing new, after which a line says what is still running


class ProgressDisplay:
    """Called with a line as each scenario begins.

    On a terminal it is one line that changes. Elsewhere it is silent but for `still running`
    reminders, unless the user asked for more (-v: a line a scenario). With -q, and without a
    terminal, nothing.
    """

    def __init__(
        self, stream: TextIO, verbosity: int = 0, remind_after: float = REMIND_AFTER
    ) -> None:
        self._stream, self._verbosity, self._remind_after = stream, verbosity, remind_after
        self._line, self._since = "", time.monotonic()
        self._changed = threading.Condition()
        self._over = False
        self._unicode = is_unicode(stream)
        self._status = self._open_status() if stream.isatty() and verbosity >= 0 else None
        self._reminder = threading.Thread(
            target=self._remind, name="envdoctor-progress", daemon=True
        )

    def __call__(self, line: str) -> None:
        """A scenario begins."""
        with self._changed:
            self._line, self._since = line, time.monotonic()
            self._changed.notify()
        if self._status:
            self._show(line)
        elif self._verbosity >= 1:
            self._print(line)

    @property
    def is_watched(self) -> bool:
        """True if the output is a terminal."""
        return self._status is not None

    def tell(self, line: Line) -> None:
        """Say something that stays, above the line that changes; nothing without a terminal."""
        if self._status:
            console = self._status.console
            text = self._text(*line.pieces)
            text.truncate(console.width, overflow="ellipsis" if self._unicode else "crop")
            with suppress(OSError):  # the terminal may be gone
                console.print(text, soft_wrap=True)

    def __enter__(self) -> Self:
        self._reminder.start()
        if self._status:
            with suppress(OSError):
                self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._over = True
            self._changed.notify()
        self._reminder.join(timeout=1.0)
        if self._status:
            with suppress(OSError):
                self._status.stop()

    def _remind(self) -> None:
        """Say what takes so long, every `remind_after` seconds; a new line starts the wait anew."""
        with self._changed:
            while not self._over:
                if not self._changed.wait(self._remind_after) and self._line and not self._over:
                    self._say_still(
                        f"still running: {self._line} for {time.monotonic() - self._since:.0f} s"
                    )

    def _say_still(self, line: str) -> None:
        if self._status:
            self._show(line)
        elif self._verbosity >= 0:
            self._print(line)

    def _show(self, line: str) -> None:
        if self._status:
            text = self._text((line, ""))
            text.no_wrap, text.overflow = True, "ellipsis" if self._unicode else "crop"
            with suppress(OSError):
                self._status.update(text)

    def _text(self, *pieces: tuple[str, str]) -> Text:
        """Text in which nothing acts on the terminal."""
        from rich.text import Text

        from envdoctor.reporters._showing import clean

        return Text.assemble(*((clean(text, self._unicode), style) for text, style in pieces))

    def _print(self, line: str) -> None:
        from envdoctor.reporters._showing import clean

        say(clean(line, unicode=False) + "\n", self._stream)

    def _open_status(self) -> Status:
        from rich.console import Console

        return Console(file=self._stream, highlight=False).status("starting", spinner="line")
