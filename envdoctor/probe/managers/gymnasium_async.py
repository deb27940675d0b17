"""gymnasium.vector.AsyncVectorEnv: one worker process an instance, and one more instance in the parent to read its spaces."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, vector
from envdoctor.probe.managers import Host

NAME = "gymnasium-async"
START_METHODS = ("fork", "forkserver", "spawn")
DIALECTS = (dialects.GYMNASIUM,)
HIDDEN = 1
EXPECTED = (("1.0", {"closes_again": False, "pins": (2, 2), "autoreset": "next-step"}),)
SENDS = ("info", "observation_space", "action_space", "exception")  # observations too, but only without shared memory
PRELOADED = ("gymnasium.vector.async_vector_env",)
missing = vector.missing


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a worker. `options` may hold shared_memory and daemon."""
    from gymnasium.vector import AsyncVectorEnv

    passed = {key: value for key, value in options.items() if key != "seed"}
    return vector.WorkersHost(AsyncVectorEnv(factories, context=start_method, **passed), int(options.get("seed", 0)))
