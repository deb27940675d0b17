"""Bytes of one observation and one action, as the spaces say; where they do not say, as the first
ones show.
"""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional, Tuple

INTEGER = 8  # bytes of a number of a Discrete space


class Sizes(NamedTuple):
    """Size of one observation and one action: bytes and arrays (`leaves`) of each, the dtype and
    shape of the largest leaf of the observation, the dtype of the action space, and whether all
    that was `measured`, since the spaces did not say.
    """

    observation: int
    action: int
    leaves: int
    action_leaves: int
    dtype: str
    shape: Tuple[int, ...]
    measured: bool
    action_dtype: str = ""


def sizes(environment: object, observation: object, action: object) -> Sizes:
    """The sizes of a subject, of which these are the first ones."""
    observed = spaces(getattr(environment, "observation_space", None)) or values(observation)
    acted = spaces(getattr(environment, "action_space", None)) or values(action)
    largest = max(observed, key=lambda leaf: leaf[2], default=("", (), 0))
    return Sizes(
        sum(leaf[2] for leaf in observed),
        sum(leaf[2] for leaf in acted),
        len(observed),
        len(acted),
        largest[0],
        tuple(largest[1]),
        spaces(getattr(environment, "observation_space", None)) is None,
        str(getattr(getattr(environment, "action_space", None), "dtype", "")),
    )


Leaf = Tuple[str, Tuple[int, ...], int]  # dtype, shape, bytes


def spaces(space: object) -> Optional[Tuple[Leaf, ...]]:
    """The leaves of a space; None where one of them has no fixed size."""
    parts = getattr(space, "spaces", None)
    if parts is not None:
        nested = [spaces(part) for part in (parts.values() if hasattr(parts, "values") else parts)]
        return None if None in nested else tuple(leaf for leaves in nested for leaf in leaves or ())
    shape: Any = getattr(space, "shape", None)
    dtype: Any = getattr(space, "dtype", None)
    if shape is None or getattr(dtype, "itemsize", 0) == 0:
        return None
    count = 1
    for side in shape:
        count *= int(side)
    return ((str(dtype), tuple(int(side) for side in shape), count * int(dtype.itemsize)),)


def values(value: object) -> Tuple[Leaf, ...]:
    """The leaves of a value, as far as they tell their size."""
    return tuple(_leaf(leaf) for leaf in parts_of(value))


def parts_of(value: object) -> Iterator[object]:
    """Yield what the containers of an observation hold."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        for part in value:
            for leaf in parts_of(part):
                yield leaf
    else:
        yield value


def _leaf(value: object) -> Leaf:
    size = getattr(value, "nbytes", None)
    shape = getattr(value, "shape", ())
    known = isinstance(size, int) and not callable(shape)
    return (
        str(getattr(value, "dtype", type(value).__name__)),
        tuple(shape) if known else (),
        size if known and size is not None else INTEGER,
    )
