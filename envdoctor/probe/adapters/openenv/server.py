"""OpenEnv's server on uvicorn, in a process of its own: one session an instance."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.openenv import driving
from envdoctor.probe.adapters.openenv.environment import SHAPE

NAME = "openenv-server"
START_METHODS = ("fork", "spawn")
APIS = (SHAPE.NAME,)
HIDDEN = 0
EXPECTED = (("0.10", {"closes_again": False, "pins": (0, 0), "autoreset": "same-step"}),)
ON_REQUEST = True
SHAPED = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One session a factory, on one server where it has room for all of them."""
    ends = str(options.get(driving.ENDS, ""))
    return driving.ServerHost(factories, start_method, options.seed, ends)
