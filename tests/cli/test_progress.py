"""Progress on stderr while scenarios are played."""

from __future__ import annotations

import threading
from io import StringIO

from envdoctor.cli.progress import ProgressDisplay


class Listener(StringIO):
    """A stream that tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = threading.Event()

    def write(self, text: str) -> int:
        count = super().write(text)
        self.heard.set()
        return count


def test_silent_where_nobody_looks() -> None:
    stream = StringIO()
    with ProgressDisplay(stream) as progress:
        progress("A-v0 [direct] life")
    assert stream.getvalue() == ""


def test_a_line_a_scenario_with_v() -> None:
    stream = StringIO()
    with ProgressDisplay(stream, verbosity=1) as progress:
        progress("A-v0 [direct] life\x1b[2J")
    assert stream.getvalue() == "A-v0 [direct] life\\x1b[2J\n"


def test_long_scenario_gets_a_reminder() -> None:
    stream = Listener()
    with ProgressDisplay(stream, remind_after=0.01) as progress:
        progress("A-v0 [direct] life")
        assert stream.heard.wait(10)
    assert stream.getvalue().startswith("still running: A-v0 [direct] life for 0 s\n")


def test_quiet_says_nothing_of_it() -> None:
    """Although the reminder came to speak several times."""
    stream, asked = StringIO(), threading.Semaphore(0)

    class Quiet(ProgressDisplay):
        def _say_still(self, line: str) -> None:
            super()._say_still(line)
            asked.release()

    with Quiet(stream, verbosity=-1, remind_after=0.01) as progress:
        progress("A-v0 [direct] life")
        assert all(asked.acquire(timeout=600) for _ in range(3))
    assert stream.getvalue() == ""


def test_a_terminal_shows_one_line() -> None:
    """The scenario in progress, on a line that is written over, and without interpreting markup."""

    class Terminal(Listener):
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            count = super(Listener, self).write(text)
            if "[red]A-v0[/] [direct] life (3 of 24" in self.getvalue():
                self.heard.set()
            return count

    stream = Terminal()
    with ProgressDisplay(stream, remind_after=0.01) as progress:
        progress("[red]A-v0[/] [direct] life (3 of 24, at most 30 s)")
        assert stream.heard.wait(10)
    assert "\x1b" in stream.getvalue()
    assert stream.getvalue().count("\n") <= 1


def test_the_reminder_ends_with_the_run() -> None:
    with ProgressDisplay(StringIO()):
        pass
    assert "envdoctor-progress" not in {thread.name for thread in threading.enumerate()}
