"""Batches that a vector environment makes of single values, and their items."""

from __future__ import annotations

from typing import Any, List


def item(space: object, batch: Any, slot: int) -> Any:
    """The part of one instance in a batch. `space` is the single one: it tells a tuple of
    batches from a tuple of items.
    """
    from gymnasium import spaces

    if isinstance(space, spaces.Dict):
        return {name: item(part, batch[name], slot) for name, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(item(part, batches, slot) for part, batches in zip(space.spaces, batch))
    return batch[slot]


def batch(space: object, items: List[object]) -> object:
    """Return what Gymnasium makes of the values of several instances: arrays of the space's dtype
    where it can.
    """
    from gymnasium.vector.utils import concatenate, create_empty_array

    return concatenate(space, items, create_empty_array(space, n=len(items)))


def as_seen(space: object, value: object) -> object:
    """A single value as it would come out of a batch; where the space is not Gymnasium's, in
    the types that it declares.
    """
    from gymnasium import spaces

    if not isinstance(space, spaces.Space):
        return _as_declared(space, value)
    return item(space, batch(space, [value]), 0)


def _as_declared(space: object, value: object) -> object:
    import numpy as np

    parts: object = getattr(space, "spaces", None)
    if hasattr(parts, "items") and isinstance(value, dict):
        return {name: _as_declared(part, value.get(name)) for name, part in parts.items()}
    dtype = getattr(space, "dtype", None)
    return value if dtype is None else np.asarray(value).astype(dtype)
