"""The standard streams, where their other end may be gone or full."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO


def say(text: str, stream: TextIO | None = None) -> None:
    """Write to stderr, or to another stream, what no command was asked for: how far it is, and
    why it fails. Where that cannot be written it is left out, and the command goes on.
    """
    stream = stream or sys.stderr
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        give_up(stream)


def give_up(stream: TextIO) -> None:
    """Let what waits in a stream go nowhere: else the interpreter would try again at its exit, and
    complain.
    """
    with suppress(OSError):  # it has no descriptor, or there is none left
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
