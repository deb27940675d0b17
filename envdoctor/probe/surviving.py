"""Checks that an exception or another value survives the way to another process and back."""

from __future__ import annotations

import inspect
import pickle
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from envdoctor.model.events import MAX_MESSAGE

MAX_TEXT = 300  # characters of the text of what was in the way
PLACEHOLDER = "x"

Travel = Callable[[object], object]


def there_and_back(value: object) -> object:
    """Return what arrives of a value in another process. Raises what pickle raises."""
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def survives(part: object, travel: Travel) -> bool:
    """Return whether a part arrives."""
    try:
        travel(part)
    except Exception:
        return False
    return True


#: The steps of an exception to another process; some managers build it anew there, as
#: `type(error)(error)`.
DUMPS, LOADS, AGAIN = "dumps", "loads", "again"


class Lost(NamedTuple):
    """The problem that keeps an exception from reaching another process, and its step."""

    step: str
    problem: str


def relay(error: BaseException) -> Optional[Lost]:
    """Return what keeps an exception from reaching another process; None where it arrives."""
    step = DUMPS
    try:
        data = pickle.dumps(error)
        step = LOADS
        arrived = pickle.loads(data)
        step = AGAIN
        type(arrived)(arrived)
    except BaseException as problem:  # its own code runs here, and may raise what ends a process
        return Lost(step, ("%s: %s" % (type(problem).__name__, message_of(problem)))[:MAX_TEXT])
    return None


def required(cls: type) -> Tuple[List[str], List[str]]:
    """The positional parameters without a default of a constructor, and those that can be given
    by keyword only.
    """
    positional: List[str] = []
    keywords: List[str] = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            continue
        (keywords if parameter.kind is parameter.KEYWORD_ONLY else positional).append(
            parameter.name
        )
    return positional, keywords


def shape(error: BaseException) -> Dict[str, object]:
    """Return what a cure has to name: the constructor's parameters, what keeps it from being built
    of its text, and the attributes that cannot be pickled.
    """
    parameters = [
        parameter.name
        for parameter in inspect.signature(type(error)).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    attributes = dict(getattr(error, "__dict__", {}))
    return {
        "parameters": parameters,
        "required": required(type(error))[0],
        "kept": all(name in attributes for name in parameters),
        "rebuilt": rebuilt(error),
        "broken": [
            name for name, value in attributes.items() if not survives(value, there_and_back)
        ],
    }


def rebuilt(error: BaseException) -> str:
    """Return why an exception does not arrive where workers build it anew of its text, as
    DI-engine's do before they send it; "" where it does.
    """
    try:
        pickle.loads(pickle.dumps(type(error)(PLACEHOLDER)))
    except BaseException as problem:
        return ("%s: %s" % (type(problem).__name__, message_of(problem)))[:MAX_TEXT]
    return ""


def message_of(error: BaseException) -> str:
    """Its text, bounded; an exception whose own __str__ fails has a text as well."""
    try:
        return str(error)[:MAX_MESSAGE]
    except BaseException:  # one whose __str__ exits
        return "(its text could not be read)"
