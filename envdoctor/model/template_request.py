"""The words between the doctor and a template process, one message each."""

from __future__ import annotations

import json
from typing import Any, Dict, NamedTuple, Tuple

#: The guard's word for a child that is there already, before its process id.
ADOPT = "--adopt"
#: The option of prctl() with which a process becomes the parent of descendants that lose theirs.
SUBREAPER = 36
#: How many descriptors come with a request: the guard's command and report, the child's own, and
#: its standard output and error.
DESCRIPTORS = 5


class ForkRequest(NamedTuple):
    """Fork a child that lives in `home` with these variables. `guard` are the words that start its
    guard, `named` those that follow the numbers of its descriptors. With `imports`, a file, the
    child is a template that imports what is named there.
    """

    home: str
    environment: Dict[str, str]
    guard: Tuple[str, ...]
    named: Tuple[str, ...]
    imports: str = ""

    def encoded(self) -> bytes:
        """The message."""
        return json.dumps(self._asdict()).encode()

    @classmethod
    def decode(cls, text: str) -> ForkRequest:
        """The request in a message. Raises ValueError or TypeError where it holds none."""
        values: Any = json.loads(text)
        return cls(**{**values, "guard": tuple(values["guard"]), "named": tuple(values["named"])})


class Readiness(NamedTuple):
    """A template's answer once it has imported: the `objection` to forking it, or nothing; and the
    sensors that read otherwise since the imports.
    """

    objection: str = ""
    changed: Tuple[str, ...] = ()

    def encoded(self) -> bytes:
        """The message."""
        return json.dumps(self._asdict()).encode()

    @classmethod
    def decode(cls, data: bytes) -> Readiness:
        """The values of a message. Raises ValueError, TypeError or KeyError for another."""
        values: Any = json.loads(data)
        return cls(str(values["objection"]), tuple(values["changed"]))
