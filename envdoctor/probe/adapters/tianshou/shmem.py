"""tianshou.env.ShmemVectorEnv: one worker process an instance, which writes its observations into
shared memory; and one more instance in the parent for each of them, to read its space.
"""

from __future__ import annotations

import multiprocessing
from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.tianshou import driving

NAME = "tianshou-shmem"
# It takes none: its workers are started as Python's own default says.
START_METHODS = tuple(multiprocessing.get_all_start_methods()[:1])
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 2  # one for each of the two instances that are launched
EXPECTED = ((driving.SINCE, {**driving.SAME_STEP, "pins": (3, 0)}),)
SENDS = ("info", "action_space", "observation_space")
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    from tianshou.env import ShmemVectorEnv

    return driving.TianshouWorkers(ShmemVectorEnv(factories), options.seed)
