"""A logger for every instance: the logging module never forgets a name."""

from __future__ import annotations

import itertools
import logging

from plain import Plain

NUMBERS = itertools.count()


class Sick(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._log = logging.getLogger(f"arm.{next(NUMBERS)}")


class Healthy(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._log = logging.LoggerAdapter(logging.getLogger("arm"), {"arm": next(NUMBERS)})
