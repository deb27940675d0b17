"""A terminal of our own, on which a command runs: what it says there, and whether the terminal
is as it was.
"""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import termios
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO

MOST = 1 << 20  # bytes of what is said that are kept


class Terminal:
    """Runs one command with a terminal as its stdin, stderr and controlling terminal. `said` is
    what came out there, `harm` in what the terminal differs afterwards.
    """

    def __init__(self) -> None:
        self.said = ""
        self.harm: list[str] = []

    def run(
        self,
        words: list[str],
        cwd: Path,
        stdout: IO[bytes],
        environment: Mapping[str, str],
        patience: float,
    ) -> int | None:
        """The exit code; None for a command that had to be killed after `patience` seconds."""
        screen, keyboard = pty.openpty()
        before = termios.tcgetattr(keyboard)
        reader = threading.Thread(target=self._listen, args=(screen,), daemon=True)
        try:
            process = subprocess.Popen(
                words,
                cwd=cwd,
                env=dict(environment),
                stdin=keyboard,
                stdout=stdout,
                stderr=keyboard,
                start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
            )
            reader.start()
            code = self._end_of(process, patience)
            if termios.tcgetattr(keyboard) != before:
                self.harm.append("the terminal's settings are changed")
        finally:
            os.close(keyboard)
            reader.join(5)
        if self.said.rfind("\x1b[?25l") > self.said.rfind("\x1b[?25h"):
            self.harm.append("the terminal's cursor is hidden")
        return code

    def _end_of(self, process: subprocess.Popen[bytes], patience: float) -> int | None:
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None

    def _listen(self, screen: int) -> None:
        """Read until nobody has the terminal any more."""
        heard = b""
        try:
            while data := os.read(screen, 65536):
                heard = (heard + data)[-MOST:]
        except OSError:  # Linux says so when the last one closes it
            pass
        finally:
            self.said = heard.decode(errors="replace")
            os.close(screen)
