"""DI-engine's BaseEnvManager: all instances in one process, and one more for its spaces."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, ding
from envdoctor.probe.managers import Host

NAME = "ding-base"
START_METHODS = ()
DIALECTS = (dialects.GYMNASIUM, dialects.DING)
ON_REQUEST = True
HIDDEN = 1
RELAUNCHES = True
RETRIES = True
EXPECTED = (("0.5", {**ding.KNOWN, "pins": (0, 0)}),)
missing = ding.missing
enter = ding.enter


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a factory, built in this process."""
    from ding.envs import BaseEnvManager

    return ding.ManagerHost(ding.launched(BaseEnvManager, factories, options), options)
