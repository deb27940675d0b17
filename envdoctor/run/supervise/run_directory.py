"""A run's directory, and who removes it should this process be killed."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from envdoctor.run.supervise import cleanup_watchdog, guard
from envdoctor.run.supervise.owner import owner_of, write_mark

PATIENCE = 2.0  # seconds for the cleanup watchdog to go when it is asked to


class RunDirectory:
    """A directory of this user alone, short because sockets are made below it, whose paths may have
    107 characters.

    The cleanup watchdog is started before the directory is made, so that a doctor killed at any
    moment does not leave it. Raises OSError when either cannot be had. mkdir() follows no link, and
    takes no name that is taken. A mark in it names both as its owners: should both be killed, the
    next run on this machine removes it.
    """

    def __init__(self) -> None:
        self.path = Path(tempfile.gettempdir(), f"{cleanup_watchdog.PREFIX}{secrets.token_hex(4)}")
        theirs, self._pipe = os.pipe()
        try:
            self._watchdog = subprocess.Popen(
                [*guard.words_of(cleanup_watchdog.__file__), str(theirs), str(self.path)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                pass_fds=[theirs],
                start_new_session=True,  # Ctrl-C in the terminal is the doctor's affair
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(theirs)
        try:
            self.path.mkdir(0o700)
        except BaseException:
            self.close()
            raise
        with suppress(OSError):  # a full disk is reported where something has to be written
            write_mark(str(self.path), [owner_of(os.getpid()), owner_of(self._watchdog.pid)])
            cleanup_watchdog.write_before(str(self.path))

    def keep_for(self, *pids: int) -> None:
        """Have the directory outlive this process until others have ended, too."""
        owners = [owner_of(number) for number in (os.getpid(), self._watchdog.pid, *pids)]
        with suppress(OSError):
            write_mark(str(self.path), owners)

    def leave(self) -> None:
        """Leave the directory to the cleanup watchdog, for those it was kept for."""
        pipe, self._pipe = self._pipe, -1
        if pipe >= 0:
            os.close(pipe)

    def close(self) -> None:
        """Remove the directory and all that is in it. May be called twice."""
        guard.remove(str(self.path))
        pipe, self._pipe = self._pipe, -1
        if pipe < 0:
            return
        with suppress(OSError):  # it was killed
            os.write(pipe, b".")
        os.close(pipe)
        try:
            self._watchdog.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._watchdog.kill()
            self._watchdog.wait()
