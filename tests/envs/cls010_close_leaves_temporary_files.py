"""The level is written into a temporary directory that nobody removes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"LEK008": "CLS010"}


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._directory = Path(tempfile.mkdtemp(prefix="level-"))
        (self._directory / "level.txt").write_text("#..#")


class Healthy(Sick):
    def close(self):
        shutil.rmtree(self._directory, ignore_errors=True)
