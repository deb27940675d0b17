"""An id with a typing error in it; the twin is spelt as it was registered."""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {
    "Sick": "reg001_unknown_environment:ZooRge001-v0",
    "Healthy": "reg001_unknown_environment:ZooReg001-v0",
}
ARGUMENTS = ["--managers", "direct"]


class Walker(Plain):
    """What is registered."""


gymnasium.register("ZooReg001-v0", entry_point="reg001_unknown_environment:Walker")
