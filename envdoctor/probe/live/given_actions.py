"""What a step() that raised was given, where that is not in the action space of its instance. No
code of the user's runs for it.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Dict, Optional, Tuple

from envdoctor.probe.live.builtins_replaced import FILE
from envdoctor.probe.live.unpickled import attributes

ACTION = "action"
#: How an action differs from those of its space: it has a dimension more or less, another shape,
#: type or dtype, or is out of the bounds.
MORE, LESS, SHAPE, KIND, DTYPE, BOUNDS = "more", "less", "shape", "kind", "dtype", "bounds"
SPACE, METHOD, ORIGINAL = "action_space", "call", "original"
LIBRARIES = ("gymnasium", "gym")  # whose spaces are read
ARRAYS = ("numpy", "torch", "jaxlib")
NUMBERS = (bool, int, float)
MORE_ARGUMENTS = 0x04
MOST_FRAMES, LONGEST = 8, 80
Shape = Tuple[int, ...]


def misfit_of_action(error: BaseException) -> Dict[str, object]:
    """What the step() was given that raises now, its space, and how they differ; empty where it is
    in that space, or where that is not known.
    """
    call = _call()
    try:
        return _misfit(*call, error) if call is not None else {}
    except Exception:  # an array that cannot be compared
        return {}


def _misfit(instance: object, action: object, error: BaseException) -> Dict[str, object]:
    space = _space(instance)
    shape, wanted = _shape(action), attributes(space).get("_shape")
    if space is None or type(wanted) is not tuple:
        return {}
    how = KIND if action is None else ""
    if shape is not None:
        how = _difference(shape, wanted) or _within(space, action, error)
    if not how:
        return {}
    leading = str(shape[0]) if shape and how == MORE else ""
    names = [_words(action, shape, how), repr(space)[:LONGEST], how, leading]
    return {"kind": ACTION, "names": names}


def _call() -> Optional[Tuple[object, object]]:
    """The instance and the first argument of the innermost counted call that is under way."""
    frame: Optional[FrameType] = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code, values = frame.f_code, frame.f_locals
        if code.co_filename == FILE and code.co_name == METHOD and ORIGINAL in code.co_freevars:
            instance, given = (values.get(name) for name in code.co_varnames[:2])
            if not code.co_flags & MORE_ARGUMENTS:
                return instance, given
            return (instance, given[0]) if type(given) is tuple and given else None
        frame = frame.f_back
    return None


def _space(instance: object) -> object:
    """The action space of an instance, where it is one of a library, and nothing makes it when it
    is asked for.
    """
    own = attributes(instance)
    classes = (vars(kind).get(SPACE) for kind in type(instance).__mro__)
    spaces = (own.get(SPACE), *classes)
    space = next((each for each in spaces if each is not None), None)
    module = type(space).__module__.partition(".")[0]
    return space if module in LIBRARIES else None


def _shape(action: Any) -> Optional[Shape]:
    """The shape of numbers, or of lists and arrays of them; None of what else there is."""
    if type(action) in NUMBERS:
        return ()
    if type(action) in (list, tuple):
        inner = _shape(action[0]) if action else ()
        return None if inner is None else (len(action), *inner)
    if type(action).__module__.partition(".")[0] not in ARRAYS:
        return None
    shape = getattr(action, "shape", None)
    return tuple(shape) if isinstance(shape, tuple) else None


def _difference(shape: Shape, wanted: Shape) -> str:
    if shape == wanted:
        return ""
    if shape[1:] == wanted and shape:
        return MORE
    return LESS if wanted and shape == wanted[1:] else SHAPE


def _within(space: object, action: Any, error: BaseException) -> str:
    """How an action of the right shape differs: whole numbers beyond the last one, and what a
    check of its own refuses.
    """
    own: Dict[str, Any] = dict(attributes(space))
    count, first = own.get("n"), own.get("start", 0)
    kind = getattr(getattr(action, "dtype", None), "kind", "")
    if count is not None and _shape(action) == ():
        if isinstance(action, float) or kind == "f":
            return KIND
        return "" if int(first) <= int(action) < int(first) + int(count) else BOUNDS
    low, high = own.get("low"), own.get("high")
    if not isinstance(error, AssertionError) or low is None or high is None:
        return ""
    if kind == "f" and action.dtype.itemsize > own["dtype"].itemsize:
        return DTYPE
    return BOUNDS if bool(((action < low) | (action > high)).any()) else ""


def _words(action: Any, shape: Optional[Shape], how: str) -> str:
    if shape is None or (shape == () and type(action) in NUMBERS) or how == BOUNDS:
        return str(action)[:LONGEST]
    if type(action) in (list, tuple):
        return "a %s of %d" % (type(action).__name__, len(action))
    dtype = " of %s" % action.dtype if how in (DTYPE, KIND) else ""
    return "an array%s of shape %s" % (dtype, shape)
