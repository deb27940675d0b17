"""Effects of importing a library on the process: `import pygame` prints, others set variables.
They must not be held against the line that happens to import it first.

The import statement is watched, not the import system: nothing stays behind in any module, and what
is loaded already passes at the price of one look into a dict.
"""

from __future__ import annotations

import builtins
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Optional, Tuple

from envdoctor.probe.frameworks.names import HOSTING
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership, is_ours
from envdoctor.probe.tracing import effects
from envdoctor.probe.tracing.effects import Reading

if TYPE_CHECKING:
    from types import FrameType


# Listed since Python 3.10; before, they are read like any other.
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))

LEVEL = 3  # of the arguments of __import__ after the name: how far a relative import goes up

MAX_REPORTED = 100

#: The library, by which line it was imported, and what changed.
ImportEffect = Tuple[str, Optional[Mapping[str, object]], Mapping[str, Optional[str]]]


class Imports:
    """While it is entered, changes of the process that a library's import makes are kept; at its
    end they are the fact `imported`.

    `read` takes a reading of what belongs to the whole process; `roots` names, when asked, the
    files and folders of the subject.
    """

    def __init__(
        self, read: Callable[[], Reading], roots: Callable[[], "frozenset[str]"], journal: Journal
    ) -> None:
        self._journal = journal
        self._read = read
        self._roots = roots
        self._original: Any = None
        self._thread = threading.get_ident()
        # Libraries that are being imported, and by which line.
        self._stack: List[Tuple[str, Optional[Mapping[str, object]]]] = []
        self._last: Reading = {}
        self._effects: List[ImportEffect] = []

    def __enter__(self) -> None:
        self._original = builtins.__import__
        builtins.__import__ = self._import

    def __exit__(self, *_: object) -> None:
        # Else other code put its own around it, and takes it off again.
        if builtins.__import__ == self._import:
            builtins.__import__ = self._original
        if self._effects:
            ownership = Ownership(self._roots())
            facts = [
                dict(change, by=by, place=place, users=_is_users(by, ownership))
                for by, place, change in self._effects
            ]
            self._journal.write("fact", key="imported", value=facts)

    def _import(self, name: str, *arguments: object, level: int = 0, **keywords: object) -> Any:
        top = name.partition(".")[0]
        if level:
            keywords.update(level=level)
        relative = level or any(arguments[LEVEL:])
        if relative or top in sys.modules or not self._worth_a_look(top):
            return self._original(name, *arguments, **keywords)
        self._charge()
        self._stack.append((top, _importing_line(sys._getframe(1))))
        try:
            return self._original(name, *arguments, **keywords)
        finally:
            self._charge()
            self._stack.pop()

    def _worth_a_look(self, top: str) -> bool:
        """Inside a framework everything is the framework's, and torch alone imports hundreds."""
        if top in _STANDARD or threading.get_ident() != self._thread:
            return False
        return not (self._stack and self._stack[-1][0] in HOSTING)

    def _charge(self) -> None:
        """Charge what changed since the last look to the library that is being imported, if any."""
        now = self._read()
        if self._stack and len(self._effects) < MAX_REPORTED:
            by, place = self._stack[-1]
            self._effects += [(by, place, change) for change in effects.changes(self._last, now)]
        self._last = now


def _is_users(name: str, ownership: Ownership) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and ownership.is_users(file)


def _importing_line(frame: Optional[FrameType]) -> Optional[Mapping[str, object]]:
    """The nearest line that imports, which is not a line of the import system or of ours."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<") and not is_ours(file):
            return {"file": file, "line": frame.f_lineno, "function": frame.f_code.co_name}
        frame = frame.f_back
    return None
