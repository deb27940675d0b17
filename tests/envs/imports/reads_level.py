"""The level lies beside this file, and is looked for in the working directory."""

from __future__ import annotations

from pathlib import Path

from plain import Plain


class Walker(Plain):
    """Walks through a town."""

    levels = Path("levels")

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._level = (self.levels / "town.txt").read_text()
