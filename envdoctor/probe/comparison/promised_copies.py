"""Instances that EzPickle makes anew from the arguments of their constructor, and of
which an argument can neither be copied nor pickled.
"""

from __future__ import annotations

import dis
import pickle
from types import CodeType
from typing import Any, Dict, Iterator

from envdoctor.probe import loaded
from envdoctor.probe.ownership import Ownership

EZPICKLE = "EzPickle"
ARGUMENTS, BY_NAME = "_ezpickle_args", "_ezpickle_kwargs"  # where it keeps them


def kept(environment: Any, ownership: Ownership) -> Dict[str, Any]:
    """The class of the first argument that cannot be pickled, and the line that gives it to
    EzPickle; nothing of other instances.
    """
    values = vars(environment) if hasattr(environment, "__dict__") else {}
    arguments = [*values.get(ARGUMENTS, ()), *values.get(BY_NAME, {}).values()]
    for argument in arguments:
        try:
            pickle.dumps(argument)
        except Exception:
            places = _places(type(environment), ownership)
            return {"kept": type(argument).__name__, "place": next(places, None)}
    return {}


def _places(kind: type, ownership: Ownership) -> Iterator[Dict[str, Any]]:
    """The user's lines that use EzPickle in a constructor of a class."""
    for owner in kind.__mro__:
        code = getattr(loaded.own(owner, "__init__"), "__code__", None)
        if code is not None and ownership.is_users(code.co_filename):
            yield from (
                {"file": code.co_filename, "line": line, "function": "%s.__init__" % owner.__name__}
                for line in _lines(code)
            )


def _lines(code: CodeType) -> Iterator[int]:
    starts = dict(dis.findlinestarts(code))
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = starts.get(instruction.offset) or line
        if instruction.argval == EZPICKLE:
            yield line
