"""torchrl.envs.ParallelEnv: one worker process an instance, and one more instance in the parent, closed before they start."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, torchrl_alone, torchrl_batched
from envdoctor.probe.managers import Host

NAME = "torchrl-parallel"
START_METHODS = ("spawn", "forkserver", "fork")
DIALECTS = (dialects.GYMNASIUM, dialects.TORCHRL)
HIDDEN = 1
EXPECTED = (("0.11", {"closes_again": False, "autoreset": "same-step"}),)  # pins: as many as an observation has parts
SENDS = ()  # observations go through shared memory, an exception ends the worker
PRELOADED = ("torchrl.envs.batched_envs",)
ON_REQUEST = True
missing = torchrl_batched.missing
enter = torchrl_batched.enter
ask = torchrl_alone.ask_as_worker


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a worker. `options` may hold use_buffers and metadata_from_workers."""
    from torchrl.envs import ParallelEnv

    batch = torchrl_batched.started(ParallelEnv, factories, options, mp_start_method=start_method)
    return torchrl_batched.WorkersHost(batch, int(options.get("seed", 0)))
