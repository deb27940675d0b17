"""stable_baselines3 SubprocVecEnv: one worker process an instance, none in the parent."""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.sb3 import driving

NAME = "sb3-subproc"
START_METHODS = ("forkserver", "spawn", "fork")
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (
    ("2.9.2", {"closes_again": False, "pins": (2, 0), "autoreset": "same-step"}),
    # Its pipes stay as well, in some of these versions.
    ("2.0", {"closes_again": False, "autoreset": "same-step"}),
)
# An exception ends the worker instead.
SENDS = ("observation", "info", "observation_space", "action_space")
PRELOADED = ("stable_baselines3.common.vec_env.subproc_vec_env",)
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker."""
    from stable_baselines3.common.vec_env import SubprocVecEnv

    return driving.SB3Host(
        driving.vector(SubprocVecEnv, factories, options, start_method=start_method), options.seed
    )
