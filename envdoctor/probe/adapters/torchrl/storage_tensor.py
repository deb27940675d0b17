"""torchrl's LazyTensorStorage: one tensor for each key, of the whole capacity from the first
transition on.
"""

from __future__ import annotations

from envdoctor.probe.adapters.torchrl import storages as tensordicts

NAME, CLASS, PLACE, COPIES = "torchrl-tensor", "LazyTensorStorage", "memory", True
missing, enter, parts = tensordicts.missing, tensordicts.enter, tensordicts.parts


def build(capacity: int, environment: object) -> tensordicts.Tensors:
    """A TensorDictReplayBuffer around it."""
    return tensordicts.opened(
        lambda data: data.LazyTensorStorage(capacity), capacity, environment, COPIES
    )
