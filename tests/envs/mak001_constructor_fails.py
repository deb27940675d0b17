"""The map is looked for in the working directory instead of beside the code."""

from __future__ import annotations

from pathlib import Path

from plain import Plain


class Sick(Plain):
    map_directory = Path("maps")

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._map = (self.map_directory / Path(__file__).name).read_text()


class Healthy(Sick):
    map_directory = Path(__file__).parent
