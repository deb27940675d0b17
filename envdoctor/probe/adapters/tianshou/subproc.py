"""tianshou.env.SubprocVectorEnv: one worker process an instance, none in the parent."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.tianshou import driving

NAME = "tianshou-subproc"
START_METHODS = ("fork", "spawn")
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = ((driving.SINCE, {**driving.SAME_STEP, "pins": (3, 0)}),)
# An exception ends the worker instead.
SENDS = ("observation", "info", "action_space", "observation_space")
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    from tianshou.env import SubprocVectorEnv

    vector = SubprocVectorEnv(factories, context=start_method)
    return driving.TianshouWorkers(vector, options.seed)
