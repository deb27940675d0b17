"""ray.rllib.env.single_agent_env_runner.SingleAgentEnvRunner in this process: all instances in one
Gymnasium vector environment of its own, no cluster, no learner.
"""

from __future__ import annotations

from typing import Callable, List, Optional

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.rllib import driving

NAME = "rllib-env-runner"
START_METHODS = ()
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("2.40", {"closes_again": False, "pins": (0, 0), "autoreset": "next-step"}),)
ON_REQUEST = True
missing = driving.missing
enter = driving.enter


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One instance a factory, built in this process."""
    creator = driving.Creator(factories)
    return driving.RunnerHost(driving.runner(creator, options), creator, options.seed)
