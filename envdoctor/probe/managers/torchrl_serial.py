"""torchrl.envs.SerialEnv: all instances in one process, and one more that is closed before they are built."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, torchrl_alone, torchrl_batched
from envdoctor.probe.managers import Host

NAME = "torchrl-serial"
START_METHODS = ()
DIALECTS = (dialects.GYMNASIUM, dialects.TORCHRL)
HIDDEN = 1
EXPECTED = (("0.11", {"closes_again": False, "autoreset": "same-step"}),)  # pins: as many as an observation has parts
ON_REQUEST = True
missing = torchrl_batched.missing
enter = torchrl_batched.enter
ask = torchrl_alone.ask


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a factory, built in this process."""
    from torchrl.envs import SerialEnv

    return torchrl_batched.BatchedHost(torchrl_batched.started(SerialEnv, factories, options), int(options.get("seed", 0)))
