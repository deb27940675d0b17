"""gymnasium.vector.SyncVectorEnv: all instances in one process."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.gymnasium import driving

NAME = "gymnasium-sync"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("1.0", {"closes_again": False, "pins": (0, 0), "autoreset": "next-step"}),)
missing = driving.missing


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process. `options` may hold autoreset_mode."""
    from gymnasium.vector import SyncVectorEnv

    return driving.VectorHost(SyncVectorEnv(factories, **options.arguments), options.seed)
