"""torchrl.envs.ParallelEnv: one worker process an instance, and one more instance in the
parent, closed before they start.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.torchrl import driving, single

NAME = "torchrl-parallel"
START_METHODS = ("spawn", "forkserver", "fork")
APIS = (environment_api.GYMNASIUM, environment_api.TORCHRL)
HIDDEN = 1
# Pins: as many as an observation has parts.
EXPECTED = (("0.11", {"closes_again": False, "autoreset": "same-step"}),)
SENDS = ()  # observations go through shared memory, an exception ends the worker
PRELOADED = ("torchrl.envs.batched_envs",)
ON_REQUEST = True
missing = driving.missing
enter = driving.enter
ask = single.ask_as_worker


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a worker. `options` may hold use_buffers and metadata_from_workers."""
    from torchrl.envs import ParallelEnv

    batch = driving.started(ParallelEnv, factories, options, mp_start_method=start_method)
    return driving.TorchRLHost(batch, options.seed)
