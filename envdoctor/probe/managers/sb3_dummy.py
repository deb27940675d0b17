"""stable_baselines3 DummyVecEnv: all instances in one process."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, sb3
from envdoctor.probe.managers import Host

NAME = "sb3-dummy"
START_METHODS = ()
DIALECTS = (dialects.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("2.0", {"closes_again": True, "pins": (0, 0), "autoreset": "same-step"}),)
missing = sb3.missing
enter = sb3.enter


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a factory, built in this process."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    return sb3.VecHost(sb3.vector(DummyVecEnv, factories, options), int(options.get("seed", 0)))
