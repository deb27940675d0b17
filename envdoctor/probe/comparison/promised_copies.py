"""Instances that promise to be copied, and cannot be: what EzPickle makes anew from the arguments
of a constructor, of which one can neither be copied nor pickled, and what is made anew by a call
that does not take the arguments that it is given.
"""

from __future__ import annotations

import dis
import pickle
import traceback
from types import CodeType
from typing import Dict, Iterator, Optional

from envdoctor.probe import loaded
from envdoctor.probe.ownership import Ownership

EZPICKLE = "EzPickle"
COPYREG, MAKES_ANEW = "copyreg", "_reconstruct"  # of the module copy
COPIED, MAKER = "x", "func"  # its arguments
REDUCES = ("__reduce_ex__", "__reduce__")
ARGUMENTS, BY_NAME = "_ezpickle_args", "_ezpickle_kwargs"  # where it keeps them


def kept(environment: object, ownership: Ownership) -> Dict[str, object]:
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


def unmade(error: BaseException, ownership: Ownership) -> Dict[str, object]:
    """The class of the object that copy cannot make anew, since the call that its __reduce__()
    names does not take its arguments, that call, and the user's line of that __reduce__(); nothing
    of other errors.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    while frames and loaded.module_of(frames[-1]) == COPYREG:
        frames.pop()
    last = frames[-1] if frames else None
    if last is None or not isinstance(error, TypeError) or last.f_code.co_name != MAKES_ANEW:
        return {}
    kind, call = type(last.f_locals.get(COPIED)), last.f_locals.get(MAKER)
    is_new = getattr(call, "__module__", "") == COPYREG
    maker = "%s.__new__" % kind.__name__ if is_new else getattr(call, "__qualname__", "")
    return {"unmade": kind.__name__, "maker": maker, "place": _place_of_reduce(kind, ownership)}


def _place_of_reduce(kind: type, ownership: Ownership) -> Optional[Dict[str, object]]:
    """The place at which a class of the user's says how it is made anew; None without one."""
    for owner in kind.__mro__:
        for name in REDUCES:
            code = getattr(loaded.own(owner, name), "__code__", None)
            if code is not None and ownership.is_users(code.co_filename):
                function = "%s.%s" % (owner.__name__, name)
                line = code.co_firstlineno
                return {"file": code.co_filename, "line": line, "function": function}
    return None


def _places(kind: type, ownership: Ownership) -> Iterator[Dict[str, object]]:
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
