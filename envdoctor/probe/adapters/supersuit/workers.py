"""supersuit.concat_vec_envs_v1 with num_cpus of 2 or more: one copy in each worker here, and one
more in the parent, beside the environment that is copied.
"""

from __future__ import annotations

import multiprocessing
from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.pettingzoo.parallel import SHAPE
from envdoctor.probe.adapters.supersuit import driving

NAME = "supersuit-proc-concat"
# It takes none: its workers are started as Python's own default says.
START_METHODS = tuple(multiprocessing.get_all_start_methods()[:1])
APIS = (SHAPE.NAME,)
HIDDEN = 2  # the one that is copied, and a copy of it that says how many agents there are
EXPECTED = (
    (driving.SINCE, {"closes_again": False, "closes_hidden": False, "autoreset": "same-step"}),
)
SENDS = ("info",)  # observations go through shared memory
ON_REQUEST = True
SHAPED = True
missing = driving.missing
enter = driving.enter
ask = driving.ask


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One copy a worker."""
    return driving.launched(factories, options, len(factories))
