"""Actions of our own: the environment's own random state is never touched."""

from __future__ import annotations

import copy
from typing import Any, Optional

from envdoctor.probe import given_actions, refusals
from envdoctor.probe.frameworks.names import MASK
from envdoctor.probe.given_actions import GivenActions


class Actions:
    """Draws actions from a copy of the action space as it stands after each reset: some
    environments replace it there. What the user gives is played instead.
    """

    def __init__(self, seed: int) -> None:
        self.user_actions = GivenActions() if given_actions.are_given() else None
        self._seed = seed
        self._source: Optional[int] = None
        self._space: Any = None

    def see(self, observation: object) -> None:
        """Look at what was observed, where a function of the user's wants to know."""
        if self.user_actions is not None:
            self.user_actions.see(observation)

    def look_at(self, space: object) -> None:
        """Take the space that actions are drawn from now on: an episode begins. A known one goes
        on with its random stream.
        """
        if self.user_actions is not None:
            self.user_actions.begin()
        source = id(getattr(space, "source", space))  # what stands between is made anew each time
        if space is None or source == self._source:
            return
        self._source = source
        try:
            self._space = copy.deepcopy(space)
            self._space.seed(self._seed)
        except Exception:  # a space that cannot be copied or seeded is used as it is
            self._space = self._space if self._space is not None else space

    def draw(self, info: object = None) -> object:
        """One action, within the mask that the environment offered, if it did. 0 where it has
        no space at all. Raises Unplayable for one that was given and cannot be played.
        """
        if self.user_actions is not None:
            return self.user_actions.next(self._space, info)
        if self._space is None or not hasattr(self._space, "sample"):
            return self._space.onto(info) if hasattr(self._space, "onto") else 0
        mask = info.get(MASK) if isinstance(info, dict) else None
        if mask is not None:
            try:
                return self._space.sample(mask)
            except given_actions.Unplayable:
                raise
            except Exception:  # a mask of another kind than Gymnasium's
                return self._sample()
        return self._sample()

    def _sample(self) -> object:
        """An action of the space; the least one that it allows where it cannot be sampled. Raises
        Unplayable where that would be a guess.
        """
        try:
            return self._space.sample()
        except given_actions.Unplayable:
            raise
        except Exception as error:
            least = _least(self._space)
            if _refuses(self._space, least):
                raise given_actions.undrawn(error) from None
            refusals.note("action_space.sample()", "the least action", error, "__init__")
            return least


def _refuses(space: Any, action: object) -> bool:
    """Return whether a space says that an action is not one of its own."""
    try:
        return space.contains(action) is False
    except Exception:
        return False


def _least(space: object) -> object:
    """The least action that a space allows, as far as its attributes tell; 0 where they do not."""
    space = getattr(space, "source", space)
    low: object = getattr(space, "low", None)
    if hasattr(low, "dtype"):
        import numpy as np

        return np.where(np.isfinite(low), low, 0).astype(low.dtype)
    choices: Any = getattr(space, "nvec", None)
    return getattr(space, "start", 0) if choices is None else choices * 0
