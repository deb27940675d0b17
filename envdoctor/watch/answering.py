"""The doctor's side of `asking`: answers to the process that it watches."""

from __future__ import annotations

import json
import os
import select
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from envdoctor.watch.asking import REPORT, SIZE

if TYPE_CHECKING:
    from envdoctor.watch.following import Follower
    from envdoctor.watch.samples import Sampler


class Answering:
    """Answers about what a follower sees, from `control` to `answers`."""

    def __init__(self, follower: Follower, control: int, answers: int) -> None:
        self._follower, self._control, self._answers = follower, control, answers
        self._sampler: Sampler | None = None
        self._is_open = True
        follower.wake_for(control)

    def is_last(self) -> bool:
        """Answer what was asked. Return whether it was the report. A process that dies closes its
        end before it is gone.
        """
        if not self._is_open or not select.select([self._control], [], [], 0)[0]:
            return False
        asked = os.read(self._control, SIZE)
        if not asked:
            self.close()
        elif REPORT not in asked:
            self._answer(asked[-1])
        return REPORT in asked

    def close(self) -> None:
        """Answer nothing from now on: a pipe without a writer would not let the follower wait."""
        if self._is_open:
            self._is_open = False
            self._follower.sleep_through(self._control)

    def _answer(self, number: int) -> None:
        from envdoctor.watch.measures import figures  # in a training that asks
        from envdoctor.watch.outside import Outsides
        from envdoctor.watch.samples import Sampler

        self._sampler = self._sampler or Sampler(Outsides().look)
        self._follower.count()
        sample = self._sampler.sample(self._follower.training(), time.time())
        line = json.dumps([number, figures(sample)]).encode() + b"\n"
        with suppress(BrokenPipeError):
            os.write(self._answers, line)
