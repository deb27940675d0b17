"""Actions of our own: the environment's own random state is never touched."""

from __future__ import annotations

import copy
from typing import Any, Optional

from envdoctor.probe import refusals


class Actions:
    """Draws actions from a copy of the action space as it stands after each reset: some
    environments replace it there.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._source: Optional[int] = None
        self._space: Any = None

    def look_at(self, space: Any) -> None:
        """Take the space that actions are drawn from now on. A known one goes on with its
        random stream.
        """
        source = id(getattr(space, "source", space))  # what stands between is made anew each time
        if space is None or source == self._source:
            return
        self._source = source
        try:
            self._space = copy.deepcopy(space)
            self._space.seed(self._seed)
        except Exception:  # a space that cannot be copied or seeded is used as it is
            self._space = self._space if self._space is not None else space

    def draw(self, info: Any = None) -> Any:
        """One action, within the mask that the environment offered, if it did. 0 where it has
        no space at all.
        """
        if self._space is None or not hasattr(self._space, "sample"):
            return self._space.onto(info) if hasattr(self._space, "onto") else 0
        mask = info.get("action_mask") if isinstance(info, dict) else None
        if mask is not None:
            try:
                return self._space.sample(mask)
            except Exception:  # a mask of another kind than Gymnasium's
                return self._sample()
        return self._sample()

    def _sample(self) -> Any:
        """An action of the space; the least one that it allows where it cannot be sampled."""
        try:
            return self._space.sample()
        except Exception as error:
            refusals.note("action_space.sample()", "the least action", error, "__init__")
            return _least(self._space)


def _least(space: Any) -> Any:
    """The least action that a space allows, as far as its attributes tell; 0 where they do not."""
    space = getattr(space, "source", space)
    low: Any = getattr(space, "low", None)
    if hasattr(low, "dtype"):
        import numpy as np

        return np.where(np.isfinite(low), low, 0).astype(low.dtype)
    choices: Any = getattr(space, "nvec", None)
    return getattr(space, "start", 0) if choices is None else choices * 0
