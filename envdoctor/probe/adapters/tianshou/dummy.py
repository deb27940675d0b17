"""tianshou.env.DummyVectorEnv: all instances in one process."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.tianshou import driving

NAME = "tianshou-dummy"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = ((driving.SINCE, {**driving.SAME_STEP, "pins": (0, 0)}),)
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    from tianshou.env import DummyVectorEnv

    return driving.TianshouHost(DummyVectorEnv(factories), options.seed)
