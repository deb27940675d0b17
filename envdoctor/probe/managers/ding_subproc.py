"""DI-engine's SyncSubprocessEnvManager: one worker process an instance, which it waits for, and one more instance in the parent."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, ding
from envdoctor.probe.managers import Host

NAME = "ding-subproc"
START_METHODS = ("fork", "spawn")
DIALECTS = (dialects.GYMNASIUM, dialects.DING)
ON_REQUEST = True
HIDDEN = 1
RELAUNCHES = True
RETRIES = True
EXPECTED = (("0.5", {**ding.KNOWN, "zombies": 1, "pins": (2, 0)}),)
SENDS = ("info", "exception")  # observations too, but only without shared memory
missing = ding.missing
enter = ding.enter


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a worker."""
    from ding.envs import SyncSubprocessEnvManager

    return ding.in_workers(SyncSubprocessEnvManager, factories, start_method, options)
