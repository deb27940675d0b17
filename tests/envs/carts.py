"""The healthy twin of reg008_overrides_existing_id: what a process has under an id cannot be
undone within one file.
"""

from __future__ import annotations

import gymnasium
from plain import Plain


class Cart(Plain):
    """Rolls better."""


for _ in range(2):  # to register one's own again is fine
    gymnasium.register("carts/CartPole-v1", entry_point="carts:Cart")
