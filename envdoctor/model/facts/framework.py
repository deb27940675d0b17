"""Facts on what a framework did by itself."""

from __future__ import annotations

from typing import ClassVar

from envdoctor.model.facts.decoding import Fact
from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Restarts(Fact):
    """Restarts in one call of a framework that builds its instances anew each time that one fails:
    it `built` so many for the `instances` that were asked for. `endless` are those that had to be
    ended from outside.
    """

    KEY: ClassVar[str] = "restarts"

    built: int
    instances: int
    endless: bool = False
