"""A crane for DI-engine. The first reset() makes its folder; close() was written when there was
none.

Needs DI-engine; examined through --python.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from di_engine import Healthy as Crane


class Sick(Crane):
    def _open(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="crane-")
        Path(self._folder, "track.txt").write_text("0 0 1 0 0\n")

    def close(self) -> None:
        self._init_flag = False


class Healthy(Sick):
    def close(self) -> None:
        if self._init_flag:
            shutil.rmtree(self._folder)
        super().close()
