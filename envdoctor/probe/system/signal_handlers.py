"""Functions that the kernel calls for signals which Python believes to be its own: a library in C
may have put another one in its place, and Python is not asked.
"""

from __future__ import annotations

import signal
from typing import Dict, Optional

from envdoctor.probe.system import heap

NATIVE = "native handler"
#: Numbers that the kernel has where no function is called.
SPECIAL = {0: "default", 1: "ignored"}

#: Ignored unless they are handled: a handler may be set there for a moment.
QUIET = ("SIGURG", "SIGWINCH")

SIZE = 256  # bytes; the largest `struct sigaction` has 152, and begins with the address

_pythons: Dict[str, int] = {}  # the address of Python's own function, which it sets for all signals


def replaced_by(number: int) -> str:
    """Say how a signal is handled in place of the function that Python has for it; an empty text
    where that of Python is called, or nothing is known.
    """
    own = _address_of_pythons()
    address = _address(number) if own is not None else None
    if address is None or address == own:
        return ""
    return SPECIAL.get(address, NATIVE)


def _address_of_pythons() -> Optional[int]:
    """The address of Python's own function, learned by setting it for a moment. None where that
    cannot be done: off the main thread, or without ctypes.
    """
    for number in (getattr(signal, name, None) for name in QUIET if not _pythons):
        if number is None or signal.getsignal(number) is not signal.SIG_DFL or _address(number):
            continue
        try:
            signal.signal(number, _do_nothing)
        except ValueError:  # off the main thread
            return None
        learned = _address(number)
        signal.signal(number, signal.SIG_DFL)
        if learned is not None and learned not in SPECIAL:
            _pythons["address"] = learned
    return _pythons.get("address")


def _do_nothing(_number: int, _frame: object) -> None:
    pass


def _address(number: int) -> Optional[int]:
    """The address that the kernel calls for a signal; None where that cannot be asked."""
    ask = getattr(heap.libc(), "sigaction", None)
    if ask is None:
        return None
    import ctypes

    action = ctypes.create_string_buffer(SIZE)
    failed = ask(int(number), None, action)
    return None if failed else ctypes.c_size_t.from_buffer(action).value
