"""Lines of an environment that draw random numbers."""

from __future__ import annotations

from typing import Any, Mapping

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location


@dataclass(frozen=True)
class Draw:
    """A line of a class that draws from a generator of its process, by `page.SOURCES`."""

    source: str
    location: Location


def draw(data: Mapping[str, Any]) -> Draw:
    """One of a JSON-able dict."""
    return Draw(data["source"], Location(**data["location"]))
