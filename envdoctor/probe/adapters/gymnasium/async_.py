"""gymnasium.vector.AsyncVectorEnv: one worker process an instance, and one more instance in the
parent to read its spaces.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.gymnasium import driving

NAME = "gymnasium-async"
START_METHODS = ("fork", "forkserver", "spawn")
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 1
EXPECTED = (("1.0", {"closes_again": False, "pins": (2, 2), "autoreset": "next-step"}),)
# Observations too, but only without shared memory.
SENDS = ("info", "observation_space", "action_space", "exception")
PRELOADED = ("gymnasium.vector.async_vector_env",)
missing = driving.missing


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker. `options` may hold shared_memory, daemon and autoreset_mode."""
    from gymnasium.vector import AsyncVectorEnv

    vector = AsyncVectorEnv(factories, context=start_method, **options.arguments)
    return driving.GymnasiumHost(vector, options.seed)
