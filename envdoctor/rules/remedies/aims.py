"""What remedies of several rules aim at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envdoctor.model.remedy import Release


def aim_at(what: str, places: Sequence[dict[str, Any]]) -> Release | None:
    """Give back what was taken in these lines; nothing where none is known."""
    return Release(what, tuple(places)) if places else None
