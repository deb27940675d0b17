"""pufferlib.vector.Multiprocessing: one worker process an instance, with one more instance in each
of them, and one in the parent.
"""

from __future__ import annotations

import multiprocessing
from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.pufferlib import driving

NAME = "puffer-multiprocessing"
# It takes none: its workers are started as Python's own default says.
START_METHODS = tuple(multiprocessing.get_all_start_methods()[:1])
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 1
EXPECTED = ((driving.SINCE, {"closes_again": True, "zombies": 1, "autoreset": "next-step"}),)
SENDS = ("info",)  # all else goes through shared memory
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    return driving.of_workers(factories, options)
