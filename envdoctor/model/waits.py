"""System calls in which threads of blocked processes wait, and who could end the waits."""

from __future__ import annotations

from typing import Tuple

from envdoctor.model.fast_dataclass import dataclass

PIPE, SOCKET, CHILD, LOCK, TIME, TERMINAL = "pipe", "socket", "child", "lock", "time", "terminal"
READS, WRITES = "read", "write"


@dataclass(frozen=True)
class Wait:
    """One thread that waits in the system call `call` for a thing of the kind `on`, to which it
    writes or from which it reads (`way`). Only the processes `peers` can end the wait, where these
    are `known`; its own process is among them where another thread of it can. `main` says whether
    it is the main thread. `command` is the command line of the process, `library` the file in whose
    code the call is made, where that is known.
    """

    pid: int
    command: str
    call: str
    on: str = ""
    way: str = ""
    peers: Tuple[int, ...] = ()
    known: bool = False
    main: bool = True
    library: str = ""
