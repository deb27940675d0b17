"""A training script that registers its environment when it is run; the twin is registered
wherever the file is imported.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {"Sick": "ZooReg007Sick-v0", "Healthy": "ZooReg007Healthy-v0"}
ARGUMENTS = ["--import", "reg007_registered_in_main_only", "--managers", "direct"]
ALSO = ["REG001"]


class Walker(Plain):
    """What is registered."""


gymnasium.register("ZooReg007Healthy-v0", entry_point="reg007_registered_in_main_only:Walker")

if __name__ == "__main__":
    gymnasium.register("ZooReg007Sick-v0", entry_point="reg007_registered_in_main_only:Walker")
    env = gymnasium.make("ZooReg007Sick-v0")
    env.reset(seed=0)
    env.close()
