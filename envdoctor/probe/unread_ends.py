"""Answers of step() from which the end of an episode cannot be read: what fails later may fail
because the episode is over.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

_values: List[int] = []  # how many values the first such answer has
_told: List[int] = []


def note(answer: Any) -> None:
    """Remember the first answer that says nothing of an end. Case: RLCard returns a state and a
    player, Safety-Gymnasium six values.
    """
    if not _values:
        _values.append(len(answer) if isinstance(answer, tuple) else 1)


def tell(write: Callable[[Dict[str, Any]], Any]) -> None:
    """Hand out what was noted, once."""
    for values in _values[len(_told) :]:
        _told.append(values)
        write({"values": values})
