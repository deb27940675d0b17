"""What holds for every test."""

from __future__ import annotations

import signal

HEARD = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL, signal.SIGTERM: signal.SIG_DFL}


def pytest_configure() -> None:
    """Hear interruptions, and let the commands under test hear them: a shell that starts the tests in the background has SIGINT
    ignored, and children inherit that."""
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
