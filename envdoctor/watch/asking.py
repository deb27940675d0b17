"""Questions of a process to the doctor that watches it, on the pipes between them. A question is
one byte: `REPORT`, after which the doctor ends, or the number of a question for figures. The answer
to that is a line of JSON, with its number.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from threading import Lock

REPORT = b"."
NUMBERS = range(128, 256)  # questions for figures
SIZE = 1 << 16
PATIENCE = 5.0  # seconds for figures
PICKLED = b"\x80"  # where a pickle begins; a line of JSON has no such byte


class Asking:
    """The questions of one process, also of several threads."""

    def __init__(self, doctor: subprocess.Popen[bytes]) -> None:
        assert doctor.stdin is not None
        assert doctor.stdout is not None
        self._doctor = doctor
        self._control, self._answers = doctor.stdin.fileno(), doctor.stdout.fileno()
        self._asks = Lock()
        self._number = NUMBERS[0]
        self._begun = b""  # of a line that has not come to its end
        self._patience = PATIENCE
        self._is_over = False

    def figures(self) -> dict[str, float]:
        """Return the figures of this moment; none where the doctor does not answer in time. It is
        not waited for again until it has answered.
        """
        if not self._asks.acquire(timeout=PATIENCE):
            return {}
        try:
            return self._figures()
        except (OSError, ValueError):
            return {}
        finally:
            self._asks.release()

    def _figures(self) -> dict[str, float]:
        # Once it is over, the numbers of the descriptors may be those of other files. A write to a
        # doctor that is gone would send SIGPIPE, which kills where it is not ignored.
        if self._is_over or not _is_ready(self._control, select.POLLOUT, 0.0):
            return {}
        self._number = NUMBERS[(self._number + 1) % len(NUMBERS)]
        os.write(self._control, bytes([self._number]))
        deadline, self._patience = time.monotonic() + self._patience, 0.0
        while _is_ready(self._answers, select.POLLIN, deadline - time.monotonic()):
            *lines, self._begun = (self._begun + os.read(self._answers, SIZE)).split(b"\n")
            self._patience = PATIENCE
            for line in lines:
                number, result = json.loads(line)
                if number == self._number:
                    return dict(result)
        return {}

    def report(self, patience: float) -> bytes:
        """Have the doctor end, and return its report as it was pickled; nothing where it ended
        before. Raises TimeoutExpired.
        """
        with self._asks:
            self._is_over = True
            asked = REPORT if _is_ready(self._control, select.POLLOUT, 0.0) else b""
            answer, _ = self._doctor.communicate(asked, patience)
        _, mark, pickled = answer.partition(PICKLED)  # answers may be before it that came too late
        return mark + pickled


def _is_ready(descriptor: int, event: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, event)
    ready = poll.poll(max(0.0, seconds) * 1000)
    return bool(ready) and ready[0][1] & ~select.POLLHUP == event
