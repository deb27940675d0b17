"""An environment of which one in two workers raises what cannot be sent."""

from __future__ import annotations

import threading

from dying import Mortal


class ArmLostError(Exception):
    """Keeps what the arm was driven with."""

    def __init__(self):
        super().__init__("the arm does not answer")
        self.lock = threading.Lock()


class Unpicklable(Mortal):
    """Raises what cannot be sent."""

    def fail(self):
        raise ArmLostError
