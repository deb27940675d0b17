"""The way to another process and back: whether a value survives plain pickle, and which part of
it does not.
"""

from __future__ import annotations

import functools
import types
from typing import Dict, Iterator, NamedTuple, Optional, Tuple

from envdoctor.probe.errors import error_value
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.surviving import Travel, survives

MAX_DEPTH = 6
MAX_PARTS = 200  # of one value that are tried one by one
MAX_KEY = 40  # characters of a key


class RoundTripTrial(NamedTuple):
    """One round trip as the journal has it (`model.facts.pickling.RoundTrip`): whether it was `ok`,
    else the error; `path` is the expression of the innermost part that does not survive it, `owner`
    the class of what holds that part, `attribute` its name there, where it is an attribute; `call`
    is what returned the value, where a call did.
    """

    ok: bool = True
    error: Optional[Dict[str, object]] = None
    path: str = ""
    owner: str = ""
    attribute: str = ""
    call: str = ""


def attempt(
    value: object, travel: Travel, ownership: Ownership, root: str, call: str = ""
) -> RoundTripTrial:
    """One round trip of a value; its path begins with `root`."""
    try:
        travel(value)
    except Exception as error:
        return RoundTripTrial(
            False, error_value(error, ownership), *blame(value, travel, root), call
        )
    return RoundTripTrial(call=call)


def blame(culprit: object, travel: Travel, path: str) -> Tuple[str, str, str]:
    """(path, owner, attribute) of the innermost part that does not survive: `info['sim']._lock`."""
    owner, attribute = culprit, ""
    for _ in range(MAX_DEPTH):
        for _, (step, part) in zip(range(MAX_PARTS), parts(culprit)):
            if not survives(part, travel):
                owner, attribute, path, culprit = (
                    culprit,
                    step[1:] if step.startswith(".") else "",
                    path + step,
                    part,
                )
                break
        else:
            break
    return path, "%s.%s" % (type(owner).__module__, type(owner).__qualname__), attribute


def parts(value: object) -> Iterator[Tuple[str, object]]:
    """(path step, part) of what pickling a value would descend into."""
    if isinstance(value, functools.partial):
        yield "", value.func
        for name, part in value.keywords.items():
            yield "(%s=)" % name, part
    elif isinstance(value, dict):
        for key, part in value.items():
            yield "[%s]" % _written(key), part
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield "[%d]" % index, part
    elif isinstance(value, types.FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            yield "." + name, cell.cell_contents
    else:
        for name, part in getattr(value, "__dict__", {}).items():
            yield "." + name, part


def _written(key: object) -> str:
    """A key as a person would write it. Of any other than these, the repr is the subject's own
    code.
    """
    return repr(key)[:MAX_KEY] if type(key) in (str, int, bytes, bool, float) else "..."
