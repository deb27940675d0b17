"""The cure for values that are NaN or infinite."""

from __future__ import annotations

RAISE_AT_FIRST = (
    'run it with `np.seterr(all="raise")`: numpy raises at the line that makes the first one, such'
    " as a division by zero, or a root or logarithm of what is not positive."
)
