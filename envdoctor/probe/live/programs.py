"""Programs that an object of the user's starts by subprocess and gives up while they run: nothing
refers to them any more, nothing asked them to end, and close() of that object was never called.
"""

from __future__ import annotations

import os
from typing import Callable, Dict, List, Optional, Protocol, Tuple

from envdoctor.probe.live.starters import is_running, owners, started

MOST = 64  # that are journaled, of one process
DELETER = "__del__"


class Program(Protocol):
    """The part of a subprocess.Popen that is used."""

    pid: int
    returncode: Optional[int]
    stdin: Optional[object]


class _Started:
    """A program: the object that started it, by its id, and what is journaled of it."""

    __slots__ = ("frame", "owner", "process", "types", "used_at")

    def __init__(
        self,
        owner: int,
        process: Tuple[int, int],
        types: List[str],
        places: Tuple[Dict[str, object], Dict[str, object]],
    ) -> None:
        self.owner, self.process, self.types = owner, process, types
        self.frame, self.used_at = places


class StartedPrograms:
    """Those of this process. `follow` has close() of a class seen, `tell` journals."""

    def __init__(self, follow: Callable[[type], bool], tell: Callable[..., None]) -> None:
        self._follow, self._tell = follow, tell
        self._known: Dict[int, _Started] = {}
        self._journaled = 0

    def forked(self) -> None:
        """In a child: what its parent started is not its own."""
        self._known, self._journaled = {}, 0

    def let_go(self) -> None:
        """The interpreter takes itself apart: what it frees was not given up."""
        self.forked()
        self._journaled = MOST

    def started(self, program: Program, place: Optional[Tuple[str, int, str]]) -> None:
        """A program was started at a place."""
        chain, used_at = owners(program)
        if not chain or place is None or used_at is None:
            return
        if any(callable(getattr(type(each), DELETER, None)) for each in chain):
            return  # what it does to the program is not known
        if self._follow(type(chain[0])):
            types = [type(each).__name__ for each in chain]
            process = (program.pid, started(program.pid))
            places = _frame(place), _frame(used_at)
            self._known[id(program)] = _Started(id(chain[0]), process, types, places)

    def closing(self, owner: object) -> None:
        """close() of an object is called."""
        for key, known in list(self._known.items()):
            if known.owner == id(owner):
                del self._known[key]

    def asked(self, program: Program) -> None:
        """A program is asked to end."""
        self._known.pop(id(program), None)

    def freed(self, program: Program) -> None:
        """Nothing refers to a program any more."""
        known = self._known.pop(id(program), None)
        if known is None or self._journaled >= MOST or program.returncode is not None:
            return
        is_asked = getattr(program.stdin, "closed", False)  # its input ended: it may do so, too
        if not is_asked and is_running(known.process):
            self._journaled += 1
            names = {"type": known.types[0], "by": known.types[-1]}
            keys = {**names, "workers": [known.process[0]], "frame": known.frame}
            self._tell("given-up", called_at=known.used_at, **keys)


def _frame(place: Tuple[str, int, str]) -> Dict[str, object]:
    file, line, function = place
    return {"file": os.path.abspath(file), "line": line, "function": function}
