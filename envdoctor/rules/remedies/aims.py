"""Aims of remedies that several rules share."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.errors import Acquisition
from envdoctor.model.remedy import Release


def aim_at(what: str, places: Sequence[Acquisition]) -> Release | None:
    """Give back what was taken in these lines; nothing where none is known."""
    return Release(what, tuple(place.frame for place in places)) if places else None
