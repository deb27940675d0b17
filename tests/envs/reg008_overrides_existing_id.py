"""Registers a cart of its own under the name of Gymnasium's; the twin, in carts.py, gives it a
name of its own.
"""

from __future__ import annotations

import gymnasium
from plain import Plain

TARGETS = {"Sick": "reg008_overrides_existing_id:CartPole-v1", "Healthy": "carts:carts/CartPole-v1"}
ARGUMENTS = ["--managers", "direct"]


class Cart(Plain):
    """Rolls better."""


gymnasium.register("CartPole-v1", entry_point="reg008_overrides_existing_id:Cart")
