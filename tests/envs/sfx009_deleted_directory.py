"""Its engine writes where the process is, so reset() goes to a folder that close() deletes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
GIVES_WAY = {"SFX002": "SFX009"}


class Sick(Plain):
    _folder = None

    def reset(self, *, seed=None, options=None):
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
            os.chdir(self._folder.name)
        Path("log").touch()
        return super().reset(seed=seed, options=options)

    def close(self):
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class Healthy(Sick):
    def reset(self, *, seed=None, options=None):
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
        Path(self._folder.name, "log").touch()
        return Plain.reset(self, seed=seed, options=options)
