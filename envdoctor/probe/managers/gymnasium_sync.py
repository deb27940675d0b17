"""gymnasium.vector.SyncVectorEnv: all instances in one process."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from envdoctor.probe import dialects, vector
from envdoctor.probe.managers import Host

NAME = "gymnasium-sync"
START_METHODS = ()
DIALECTS = (dialects.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("1.0", {"closes_again": False, "pins": (0, 0), "autoreset": "next-step"}),)
missing = vector.missing


def launch(factories: List[Callable[[], Any]], start_method: Optional[str], options: Mapping[str, Any]) -> Host:
    """One instance a factory, built in this process."""
    from gymnasium.vector import SyncVectorEnv

    return vector.VectorHost(SyncVectorEnv(factories), int(options.get("seed", 0)))
