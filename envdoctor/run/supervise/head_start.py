"""The parts of a run that are ready before its subjects are known: its directory, the bundle, and a
probe that is starting.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from envdoctor.run.supervise.bundle import NAME, write_bundle
from envdoctor.run.supervise.probe_process import ProbeProcess
from envdoctor.run.supervise.run_directory import RunDirectory


class HeadStart:
    """A run's directory with the bundle in it; a context manager, which removes it.

    With `probe_from`, the user's directory, a probe of this interpreter starts at once: to parse
    the command line takes the doctor as long as it takes a probe to import what every scenario
    needs. Raises OSError when the directory cannot be made, or the probe not be started.
    """

    def __init__(self, probe_from: str | None = None) -> None:
        self._run = RunDirectory()
        self.directory = self._run.path
        self._probe: ProbeProcess | None = None
        try:
            if probe_from is not None:  # it waits for the bundle, and has enough to do before
                self._probe = ProbeProcess(
                    sys.executable,
                    self.directory / NAME,
                    self.directory / "first",
                    self.directory,
                    imports_from=probe_from,
                )
            self.bundle = write_bundle(self.directory)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the probe that was not taken, and remove the directory."""
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.end()
        self._run.close()

    def take(self, python: str) -> ProbeProcess | None:
        """The probe that was started, for the first who asks for one of `python`; from then on
        it is theirs to end.
        """
        if python != sys.executable:
            return None
        probe, self._probe = self._probe, None
        return probe
