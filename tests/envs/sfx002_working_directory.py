"""Its levels lie beside its code, so it goes there."""

from __future__ import annotations

import os
from pathlib import Path

from plain import Plain

ARGUMENTS = ["--managers", "direct"]

HERE = Path(__file__).parent


class Sick(Plain):
    def reset(self, *, seed=None, options=None):
        os.chdir(HERE)
        self._level = Path("plain.py").read_text()
        return super().reset(seed=seed, options=options)


class Healthy(Plain):
    def reset(self, *, seed=None, options=None):
        self._level = (HERE / "plain.py").read_text()
        return super().reset(seed=seed, options=options)
