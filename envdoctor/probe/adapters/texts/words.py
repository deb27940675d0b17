"""Texts that are actions. In such a game a player may say anything, so every text is a legal
call: these look like moves, so that some of them are.
"""

from __future__ import annotations

import random
from typing import Any

STREAM = object()  # what is said goes on with its stream over all resets
FORMS = ("[%d]", "\\boxed{%d}", "<answer>%d</answer>", "[%d 1]", "I say %d.")
NUMBERS = 10


class Words:
    """Draws texts from a stream of its own."""

    source = STREAM

    def __init__(self) -> None:
        self._random = random.Random(0)  # noqa: S311

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        self._random.seed(seed)

    def sample(self, *_mask: Any) -> str:
        """One text."""
        return self._random.choice(FORMS) % self._random.randrange(NUMBERS)


class NullGame:
    """What null games share: they answer the same for ever."""

    def close(self) -> None:
        """Nothing to give back."""
