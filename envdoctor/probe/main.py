"""The probe's loop: one request a line, one scenario a request, until the doctor has no more or
the process is dirty.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, Optional, TextIO, Tuple

from envdoctor.probe import stacks
from envdoctor.probe.frameworks.names import REGISTRIES
from envdoctor.probe.system import allocator

if TYPE_CHECKING:
    from envdoctor.probe.quick_exit import QuickExit


def main() -> None:
    """Serve the requests that arrive on the descriptor named by the first argument. A second one is
    the user's directory: there is time to import ahead. A third one makes this process a template,
    which imports what is named in that file.
    """
    stacks.arm()
    allocator.hand_back()
    descriptor, (place, imports) = int(sys.argv[1]), (*sys.argv[2:4], None, None)[:2]
    os.set_inheritable(descriptor, False)
    sys.argv = ["train.py"]  # environments look at it, and multiprocessing hands it to workers
    leaving = None
    if imports:
        from envdoctor.probe.quick_exit import QuickExit

        leaving = QuickExit()
        from envdoctor.probe import player, template  # noqa: F401  each child plays

        descriptor, place = template.serve(descriptor, imports), None
    with os.fdopen(descriptor, "r", encoding="utf-8", closefd=False) as requests:
        serve(requests, place, leaving)


def import_ahead(place: str) -> None:
    """Import the framework that most environments follow as the first scenario would, found where
    the user's script would find it. What fails here fails again, and is reported, when a scenario
    asks for it.
    """
    sys.path.insert(0, place)
    with contextlib.suppress(BaseException):
        importlib.import_module(REGISTRIES[0])


def serve(
    requests: TextIO, place: Optional[str] = None, leaving: Optional[QuickExit] = None
) -> None:
    """Play each request. Imports the player only now, so that a crash in it has stacks."""
    from envdoctor.model.play_request import PlayRequest
    from envdoctor.probe.growth.settle import leave_out_libraries
    from envdoctor.probe.player import play
    from envdoctor.probe.sensors import Context, Sensors, home

    sensors = Sensors(Context(home(), os.getppid()))
    if place is not None:
        import_ahead(place)
        leave_out_libraries()  # the first readings walked through them four times
    if leaving is not None:
        leaving.begin(sensors)
    mine = identity(requests.fileno())
    for line in iter(requests.readline, ""):
        request = PlayRequest.decode(line)
        play(request, sensors)
        if leaving is not None:
            leaving.expect(not request.scenario.leaves_alive)
        # An environment may put something else in the place of every descriptor: on that no request
        # would ever come.
        if identity(requests.fileno()) != mine:
            return


def identity(descriptor: int) -> Optional[Tuple[int, int]]:
    """Return the device and inode that an open descriptor leads to; None for one that is closed."""
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino
