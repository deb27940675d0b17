"""supersuit.concat_vec_envs_v1 with num_cpus=0 or 1: copies of one environment in its process."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.pettingzoo.parallel import SHAPE
from envdoctor.probe.adapters.supersuit import driving

NAME = "supersuit-concat"
START_METHODS = ()
APIS = (SHAPE.NAME,)
HIDDEN = 1  # the one that is copied
EXPECTED = (
    (
        driving.SINCE,
        {"closes_again": True, "closes_hidden": False, "pins": (0, 0), "autoreset": "same-step"},
    ),
)
ON_REQUEST = True
SHAPED = True
missing = driving.missing
enter = driving.enter
ask = driving.ask


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One copy a factory, in this process."""
    return driving.launched(factories, options, 0)
