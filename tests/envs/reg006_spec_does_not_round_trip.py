"""Is registered with a function that computes its reward; the twin with the name of one."""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {
    "Sick": "reg006_spec_does_not_round_trip:ZooReg006Sick-v0",
    "Healthy": "reg006_spec_does_not_round_trip:ZooReg006Healthy-v0",
}
ARGUMENTS = ["--managers", "direct"]


def sparse(steps):
    return float(steps == 10)


REWARDS = {"sparse": sparse}


class Walker(Plain):
    """Takes its reward from outside."""

    def __init__(self, reward="sparse", render_mode=None):
        super().__init__(render_mode)
        self._reward = REWARDS.get(reward, reward)

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return observation, self._reward(self._steps), terminated, truncated, info


gymnasium.register(
    "ZooReg006Sick-v0",
    entry_point="reg006_spec_does_not_round_trip:Walker",
    kwargs={"reward": sparse},
)
gymnasium.register(
    "ZooReg006Healthy-v0",
    entry_point="reg006_spec_does_not_round_trip:Walker",
    kwargs={"reward": "sparse"},
)
