"""The sentences of checkers about an environment, and which of them follow from others."""

from __future__ import annotations

import re
from collections.abc import Iterable

from envdoctor.frameworks import REGISTRY_ERRORS
from envdoctor.model.errors import ErrorValue, one_line
from envdoctor.model.facts import CheckFailure

OBSERVATION = "reset_return"
NO_PAIR = "tuple of the form `(obs, info)`"
REFUSED = "reset() got an unexpected keyword argument"
#: An argument that reset() does not take, in the words of both of Gymnasium's checkers.
LACKS = re.compile(r"not provide an? `(seed|options)`|can be passed (?:a )?`(seed|options)`")


def follows(entry: CheckFailure, text: str, entries: Iterable[CheckFailure]) -> bool:
    """Return True if a failure follows from another one that is reported: the observation of a
    reset() that returns no pair is not known, and what the checker calls first, in each of its
    parts, is reset(seed=...). Cases: gym-quadruped, JSSEnv. An argument that reset() does not take
    is said by an error and by a warning.
    """
    others = [other for other in entries if other.has_raised and other.part != entry.part]
    if REFUSED in text:
        return "reset" not in entry.part and any("reset" in other.part for other in others)
    lacks = lacking(text)
    if lacks and not entry.has_raised and any(lacking(text_of(other)) == lacks for other in others):
        return True
    no_pair = any(NO_PAIR in text_of(other) for other in others)
    return no_pair and "reset" in entry.part and bool(entry.misfit)


def lacking(text: str) -> str:
    """The argument that reset() does not take, as a checker says it; else nothing."""
    lacks = LACKS.search(text)
    return (lacks[1] or lacks[2]) if lacks else ""


def misfit_of(entry: CheckFailure) -> tuple[str, str]:
    """The method whose observation does not fit, and the reason; the checker may say both twice."""
    part = OBSERVATION if "reset" in entry.part else entry.part
    return part, entry.misfit


def text_of(entry: CheckFailure) -> str:
    """The checker's own words; an exception of the environment's has its type before them
    (`KeyError: 'map'`).
    """
    error = entry.error
    message = (
        one_line(error) if error and not is_checkers(error) else entry.message or one_line(error)
    )
    return " ".join(message.split())


def is_checkers(error: ErrorValue) -> bool:
    """Return True if the checker itself raised it, to say what is wrong."""
    kind = error.type
    return kind.rsplit(".", 1)[-1] == "AssertionError" or kind.startswith(REGISTRY_ERRORS)
