"""The level is looked for in the working directory instead of beside the code."""

from __future__ import annotations

from pathlib import Path

from plain import Plain

TARGETS = {
    "Sick": "imports/reads_level.py:Walker",
    "Healthy": "mak001_constructor_fails.py:Healthy",
}


class Healthy(Plain):
    """Looks beside its code."""

    levels = Path(__file__).parent / "imports" / "levels"

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._level = (self.levels / "town.txt").read_text()
