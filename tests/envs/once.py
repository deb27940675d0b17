"""The first instance of a process leaves something in a class, a module or a default argument, and
no second one can be made.
"""

from __future__ import annotations

import os
import signal
import sys

from plain import Plain

TASKS = {"walk": {"speed": 1.0, "limits": {"low": 0.0, "high": 2.0}}}
PORTS = []
handle = None


class Simulator:
    in_use = False


class ForgetsFlag(Plain):
    """close() forgets the flag of a class."""

    def __init__(self, render_mode=None):
        if Simulator.in_use:
            raise RuntimeError("the simulator is in use")
        Simulator.in_use = True
        super().__init__(render_mode)


class GivesFlagBack(ForgetsFlag):
    def close(self):
        Simulator.in_use = False
        super().close()


class ForgetsHandle(Plain):
    """close() forgets a variable of the module."""

    def reset(self, *, seed=None, options=None):
        if globals()["handle"] not in (None, self):
            raise RuntimeError("there is a handle")
        globals()["handle"] = self
        return super().reset(seed=seed, options=options)


class EmptiesTask(Plain):
    """The constructor takes out of a dict of the module what the next one needs."""

    def __init__(self, render_mode=None):
        self.low = TASKS["walk"]["limits"].pop("low")
        super().__init__(render_mode)


class CopiesTask(Plain):
    """The healthy twin: it changes a copy."""

    def __init__(self, render_mode=None):
        self.low = dict(TASKS["walk"]["limits"]).pop("low")
        super().__init__(render_mode)


class EmptiesDefault(Plain):
    """The same with the default of an argument."""

    def __init__(self, render_mode=None, limits={"low": 0.0}):  # noqa: B006
        self.low = limits.pop("low")
        super().__init__(render_mode)


class KeepsPort(Plain):
    """close() leaves an entry in a list that belongs to all instances."""

    def __init__(self, render_mode=None):
        if len(PORTS) == 1:
            raise RuntimeError("every port is taken")
        PORTS.append(5005)
        super().__init__(render_mode)


class Twice(Plain):
    """A second instance ends the process where the flag does not keep it from being made."""

    started = False

    def __init__(self, render_mode=None):
        if Twice.started:
            raise RuntimeError("the simulator was started before")
        Twice.started = True
        if hasattr(sys, "simulator"):
            os.kill(os.getpid(), signal.SIGSEGV)
        sys.simulator = "started"
        super().__init__(render_mode)
