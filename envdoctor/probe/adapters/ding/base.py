"""DI-engine's BaseEnvManager: all instances in one process, and one more for its spaces."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.ding import driving

NAME = "ding-base"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM, environment_api.DING)
ON_REQUEST = True
HIDDEN = 1
RELAUNCHES = True
RETRIES = True
EXPECTED = (("0.5", {**driving.KNOWN, "pins": (0, 0)}),)
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    from ding.envs import BaseEnvManager

    return driving.ManagerHost(driving.launched(BaseEnvManager, factories, options), options)
