"""agilerl.vector.AsyncPettingZooVecEnv: one worker process an instance, and one more instance in
the parent to read its spaces.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.agilerl import driving
from envdoctor.probe.adapters.pettingzoo.parallel import SHAPE

NAME = "agilerl-async"
START_METHODS = ("fork", "forkserver", "spawn")
APIS = (SHAPE.NAME,)
HIDDEN = 1
EXPECTED = ((driving.SINCE, {"closes_again": False, "autoreset": "same-step"}),)
SENDS = ("info", "exception")  # observations go through shared memory
ON_REQUEST = True
SHAPED = True
missing = driving.missing
enter = driving.enter
ask = driving.ask


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    from agilerl.vector import AsyncPettingZooVecEnv

    vector = AsyncPettingZooVecEnv(factories, context=start_method)
    return driving.AgileRLHost(vector, options.seed)
