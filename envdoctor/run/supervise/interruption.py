"""The effects of the user's interruption on a run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: A terminal, a batch system and a closing window ask in these ways; none of them gets less of a
#: report than the others.
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Within, the first request to end calls `stop`; a second one raises KeyboardInterrupt.

    An exception right away would come anywhere, and take the report of what is known so far with
    it. Requests that were ignored before (nohup) stay ignored; outside the main thread nothing is
    changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in REQUESTS}
    ours = {
        number: handler
        for number, handler in before.items()
        if handler not in (signal.SIG_IGN, None)
    }

    def ask(_number: int, _frame: FrameType | None) -> None:
        for number in ours:
            signal.signal(number, signal.default_int_handler)
        stop()

    for number in ours:
        signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
