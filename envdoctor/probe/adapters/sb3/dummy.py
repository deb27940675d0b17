"""stable_baselines3 DummyVecEnv: all instances in one process."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.sb3 import driving

NAME = "sb3-dummy"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("2.0", {"closes_again": True, "pins": (0, 0), "autoreset": "same-step"}),)
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    return driving.VecHost(driving.vector(DummyVecEnv, factories, options), options.seed)
