"""pufferlib.vector.Serial: all instances in one process, and one more to read its spaces."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.pufferlib import driving

NAME = "puffer-serial"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 1
EXPECTED = (
    (
        driving.SINCE,
        {"closes_again": True, "closes_hidden": False, "pins": (0, 0), "autoreset": "next-step"},
    ),
)
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    return driving.PufferHost(driving.made("Serial", factories), options.seed)
