"""What is said on stderr while scenarios are played."""

from __future__ import annotations

import threading
from io import StringIO

from envdoctor.cli.progress import Progress


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
    with Progress(stream) as progress:
        progress("A-v0 [direct] life")
    assert stream.getvalue() == ""


def test_a_line_a_scenario_with_v() -> None:
    stream = StringIO()
    with Progress(stream, verbosity=1) as progress:
        progress("A-v0 [direct] life\x1b[2J")
    assert stream.getvalue() == "A-v0 [direct] life\\x1b[2J\n"


def test_what_takes_long_is_said() -> None:
    stream = Listener()
    with Progress(stream, remind_after=0.01) as progress:
        progress("A-v0 [direct] life")
        assert stream.heard.wait(10)
    assert stream.getvalue().startswith("still running: A-v0 [direct] life for 0 s\n")


def test_quiet_says_nothing_of_it() -> None:
    stream = Listener()
    with Progress(stream, verbosity=-1, remind_after=0.01) as progress:
        progress("A-v0 [direct] life")
        assert not stream.heard.wait(0.1)


def test_a_terminal_shows_one_line() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    with Progress(stream, remind_after=0.01) as progress:
        progress("[red]A-v0[/]")
    assert "\x1b" in stream.getvalue() or stream.getvalue() == ""


def test_the_reminder_ends_with_the_run() -> None:
    with Progress(StringIO()):
        pass
    assert "envdoctor-progress" not in {thread.name for thread in threading.enumerate()}
