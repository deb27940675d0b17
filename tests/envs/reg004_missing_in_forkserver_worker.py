"""The script imports this module, so the id is known to it, but not to its workers; the twin
names the module in the id.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {"Sick": "ZooReg004-v0", "Healthy": "reg004_missing_in_forkserver_worker:ZooReg004-v0"}
ARGUMENTS = [
    "--import",
    "reg004_missing_in_forkserver_worker",
    "--managers",
    "gymnasium-async",
    "--start-methods",
    "fork,forkserver,spawn",
]
ALSO = ["REG003"]  # an empty registry is an empty registry, whichever way the worker was started


class Walker(Plain):
    """What is registered."""


gymnasium.register("ZooReg004-v0", entry_point="reg004_missing_in_forkserver_worker:Walker")
