"""An event loop that runs in this thread while none of the environment's calls does. A side effect:
asyncio.run() of the program fails meanwhile.
"""

from __future__ import annotations

import sys
from typing import Dict

from envdoctor.probe.sensors import Context

NAME = "running-loop"
OF_PROCESS = True

EVENTS = "asyncio.events"
KEY = "running event loop"


def missing() -> str:
    """The standard library says it everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"running event loop": its class}; empty where none runs, or asyncio is not imported."""
    events = sys.modules.get(EVENTS)
    loop = events._get_running_loop() if events is not None else None
    if loop is None:
        return {}
    return {KEY: "%s.%s" % (type(loop).__module__, type(loop).__qualname__)}
