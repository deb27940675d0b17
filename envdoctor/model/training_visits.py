"""The answers of a running process that envdoctor did not start."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Tuple

from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Alive:
    """Instances of a class that were there when a process answered first, and last."""

    pid: int
    type: str
    first: int
    last: int

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.type.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Visit:
    """One answer. `alive` has instances by class where they were asked for; `why` is what went
    wrong.
    """

    number: int
    blocks: Optional[int] = None
    malloc: Optional[int] = None
    tracked: int = 0
    full: int = 0
    alive: Optional[Tuple[Tuple[str, int], ...]] = None
    why: str = ""


def visit(event: Mapping[str, Any]) -> Visit:
    """The answer of an event. What is not as it should be raises ValueError or TypeError."""
    alive = event.get("alive")
    return Visit(
        int(event.get("number", 0)),
        _perhaps(event.get("blocks")),
        _perhaps(event.get("malloc")),
        int(event.get("tracked", 0)),
        int(event.get("full", 0)),
        None if alive is None else tuple((str(name), int(count)) for name, count in alive.items()),
        str(event.get("why", "")),
    )


def _perhaps(value: Any) -> Optional[int]:
    return None if value is None or int(value) < 0 else int(value)
