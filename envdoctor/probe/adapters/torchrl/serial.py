"""torchrl.envs.SerialEnv: all instances in one process, and one more that is closed before they
are built.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.torchrl import driving, single

NAME = "torchrl-serial"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM, environment_api.TORCHRL)
HIDDEN = 1
# Pins: as many as an observation has parts.
EXPECTED = (("0.11", {"closes_again": False, "autoreset": "same-step"}),)
ON_REQUEST = True
missing = driving.missing
enter = driving.enter
ask = single.ask


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    from torchrl.envs import SerialEnv

    return driving.BatchedHost(driving.started(SerialEnv, factories, options), options.seed)
