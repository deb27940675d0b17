"""What a run can have ready before anybody knows what it will examine: its directory, the bundle, and a probe that is starting."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from envdoctor.supervise.bundle import write_bundle
from envdoctor.supervise.leash import Leash


class HeadStart:
    """A run's directory with the bundle in it; a context manager, which removes it.

    With `begin()` a probe of this interpreter starts at once: to parse the command line takes the doctor as long as it takes
    a probe to import what every scenario needs.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="envdoctor-", ignore_cleanup_errors=True)
        self.directory = Path(self._folder.name)
        self.bundle = write_bundle(self.directory)
        self._leash: Leash | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        leash, self._leash = self._leash, None
        if leash is not None:
            leash.end()
        self._folder.cleanup()

    def begin(self) -> Self:
        """Start the probe. It imports what it can while nobody asks; raises OSError when none can be started."""
        self._leash = Leash(sys.executable, self.bundle, self.directory / "first", self.directory, imports_from=os.getcwd())
        return self

    def take(self, python: str) -> Leash | None:
        """The probe that was started, for the first who asks for one of `python`; from then on it is theirs to end."""
        if python != sys.executable:
            return None
        leash, self._leash = self._leash, None
        return leash
