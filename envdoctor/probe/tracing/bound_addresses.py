"""The TCP address that was bound last, and what keeps its port.

One audit hook. It cannot be taken out again, so the process that played with it retires.
"""

from __future__ import annotations

import socket
import sys
from typing import Any, Dict, List, Optional, Tuple

from envdoctor.probe.system import sockets

_bound: List[Tuple[str, int]] = []


def follow() -> None:
    """From here on, note to which address a socket is bound, or was to be bound."""
    sys.addaudithook(_note)


def _note(event: str, arguments: Tuple[Any, ...]) -> None:
    if event != "socket.bind":
        return
    del _bound[:]
    kind, address = arguments[0].type, arguments[1]
    if kind == socket.SOCK_STREAM and isinstance(address, tuple) and type(address[1]) is int:
        _bound.append((str(address[0]), address[1]))


def used_address() -> Optional[Dict[str, object]]:
    """The fact `used-address` (`model.facts.calls.UsedAddress`): the address that was to be bound
    last, and in which states sockets have its port; None where none has it.
    """
    if not _bound or not _bound[0][1]:
        return None
    host, port = _bound[0]
    states = sockets.states_of_port(port)
    return {"host": host, "port": port, "states": states} if states else None
