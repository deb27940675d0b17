"""Spaces that few managers can hold, as the reason why one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from envdoctor.frameworks import DEFAULT
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import listing

#: What else there is, where nothing of one's own is to be changed.
WAY = DEFAULT.reshape


def in_the_way(view: View, judge: Callable[[View], Iterable[object]]) -> str:
    """The rare spaces at which a null environment fails there, too, in words; nothing where
    there are none, or it does not.
    """
    kinds = view.survey.rare_spaces
    return (
        listing(kinds)
        if kinds and view.control is not None and any(True for _ in judge(view.control))
        else ""
    )


def refusal(view: View, rare: str) -> str:
    """Return the remedy for spaces that a manager refuses."""
    return (
        f"{view.manager} cannot hold {rare}: a null environment with the same spaces fails there,"
        f" too. {WAY}."
    )


def suspected(view: View) -> str:
    """A sentence on the rare spaces of a subject, where it has any."""
    kinds = view.survey.rare_spaces
    return (
        f" Its spaces have {listing(kinds)}, which not every manager takes; {WAY}." if kinds else ""
    )
