"""torchrl's ListStorage: a list of tensordicts, kept by reference."""

from __future__ import annotations

from typing import Dict

from envdoctor.probe.adapters.torchrl import storages as tensordicts
from envdoctor.probe.replay.sizes import Sizes

NAME, CLASS, PLACE, COPIES = "torchrl-list", "ListStorage", "memory", False
missing, enter = tensordicts.missing, tensordicts.enter


def parts(sizes: Sizes) -> Dict[str, int]:
    """The next observation is the next transition's observation: one object."""
    shared = {
        name: size for name, size in tensordicts.parts(sizes).items() if name != "next observation"
    }
    return dict(shared, objects=tensordicts.objects(sizes))


def build(capacity: int, environment: object) -> tensordicts.Tensors:
    """A TensorDictReplayBuffer around it."""
    return tensordicts.opened(
        lambda data: data.ListStorage(capacity), capacity, environment, COPIES
    )
