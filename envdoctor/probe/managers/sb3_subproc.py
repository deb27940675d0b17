"""stable_baselines3 SubprocVecEnv: one worker process an instance, none in the parent."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, sb3
from envdoctor.probe.managers import Host

NAME = "sb3-subproc"
START_METHODS = ("forkserver", "spawn", "fork")
DIALECTS = (dialects.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (
    ("2.9.2", {"closes_again": False, "pins": (2, 0), "autoreset": "same-step"}),
    ("2.0", {"closes_again": False, "autoreset": "same-step"}),  # its pipes stay as well, in some of these versions
)
SENDS = ("observation", "info", "observation_space", "action_space")  # an exception ends the worker instead
PRELOADED = ("stable_baselines3.common.vec_env.subproc_vec_env",)
missing = sb3.missing
enter = sb3.enter


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a worker."""
    from stable_baselines3.common.vec_env import SubprocVecEnv

    return sb3.WorkersHost(sb3.vector(SubprocVecEnv, factories, options, start_method=start_method), int(options.get("seed", 0)))
