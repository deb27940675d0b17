"""What holds for every test."""

from __future__ import annotations

import signal

from hypothesis import settings

from tests.interpreters import announce

announce()  # before modules of tests are imported, which look whether theirs is there

HEARD = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
}

#: A few examples in every run; `pytest --hypothesis-profile thorough` looks further.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile("quick")


def pytest_configure() -> None:
    """Hear interruptions, and let the commands under test hear them: a shell that starts the tests
    in the background has SIGINT ignored, and children inherit that.
    """
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
