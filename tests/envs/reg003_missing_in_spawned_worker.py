"""The script imports this module, so the id is known to it, but not to its workers; the twin
names the module in the id.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {"Sick": "ZooReg003-v0", "Healthy": "reg003_missing_in_spawned_worker:ZooReg003-v0"}
ARGUMENTS = ["--import", "reg003_missing_in_spawned_worker", "--managers", "gymnasium-async"]
ALSO = ["REG004"]  # an empty registry is an empty registry, whichever way the worker was started


class Walker(Plain):
    """What is registered."""


gymnasium.register("ZooReg003-v0", entry_point="reg003_missing_in_spawned_worker:Walker")
