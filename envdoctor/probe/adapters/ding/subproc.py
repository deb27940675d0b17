"""DI-engine's SyncSubprocessEnvManager: one worker process an instance, which it waits for, and
one more instance in the parent.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.ding import driving

NAME = "ding-subproc"
START_METHODS = ("fork", "spawn")
APIS = (environment_api.GYMNASIUM, environment_api.DING)
ON_REQUEST = True
HIDDEN = 1
RELAUNCHES = True
RETRIES = True
EXPECTED = (("0.5", {**driving.KNOWN, "zombies": 1, "pins": (2, 0)}),)
SENDS = ("info", "exception")  # observations too, but only without shared memory
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    from ding.envs import SyncSubprocessEnvManager

    return driving.in_workers(SyncSubprocessEnvManager, factories, start_method, options)
