"""The probe's loop: one request a line, one scenario a request, until the doctor has no more or the process is dirty."""

from __future__ import annotations

import json
import os
import sys
from typing import TextIO

from envdoctor.probe import allocator, stacks


def main() -> None:
    """Serve the requests that arrive on the descriptor named by the first argument."""
    stacks.arm()
    allocator.hand_back()
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    sys.argv = ["train.py"]  # environments look at it, and multiprocessing hands it to workers
    with os.fdopen(descriptor, "r", encoding="utf-8", closefd=False) as requests:
        serve(requests)


def serve(requests: TextIO) -> None:
    """Play each request. Imports the player only now, so that a crash in it has stacks."""
    from envdoctor.probe.player import play
    from envdoctor.probe.sensors import Context, Sensors

    home = os.path.dirname(os.environ.get("TMPDIR") or os.getcwd())
    sensors = Sensors(Context(home, os.getppid()))
    for line in iter(requests.readline, ""):
        play(json.loads(line), sensors)
