"""Texts that are actions. In such a game a player may say anything, so every text is a legal
call: these look like moves, so that some of them are.
"""

from __future__ import annotations

import random
from typing import Callable, Mapping

STREAM = object()  # what is said goes on with its stream over all resets
FORMS = ("[%d]", "\\boxed{%d}", "<answer>%d</answer>", "[%d 1]", "I say %d.")
NUMBERS = 10


class Words:
    """Draws texts from a stream of its own."""

    source = STREAM

    def __init__(self) -> None:
        self._random = random.Random(0)  # noqa: S311

    def contains(self, action: object) -> bool:
        """Return whether it is a text."""
        return isinstance(action, str)

    def __repr__(self) -> str:
        return "any text"

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        self._random.seed(seed)

    def sample(self, *_mask: object) -> str:
        """One text."""
        return self._random.choice(FORMS) % self._random.randrange(NUMBERS)


class TurnWords(Words):
    """Texts for the player whose turn it is, who is the only one that was shown something."""

    def for_each(
        self, _info: object, observations: object, ask: Callable[[object, object, object], object]
    ) -> object:
        """The text of that player, where `ask` gives one for (player, space, observation)."""
        player, observation = (
            next(iter(observations.items()))
            if isinstance(observations, Mapping)
            else (None, observations)
        )
        return ask(player, self, observation)


class NullGame:
    """Shared part of null games: they always answer the same."""

    def close(self) -> None:
        """Nothing to give back."""
