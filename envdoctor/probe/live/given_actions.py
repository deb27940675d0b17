"""Actions that a step() was given which raised, and that are not in the action space of its
instance. No code of the user's runs for it.
"""

from __future__ import annotations

import operator
import sys
from types import FrameType
from typing import TYPE_CHECKING, Dict, List, Optional, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.frameworks.names import REGISTRIES
from envdoctor.probe.live.builtins_replaced import FILE

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

ACTION = "action"
#: How an action differs from those of its space: it has a dimension more or less, another shape,
#: type or dtype, or is out of the bounds.
MORE, LESS, SHAPE, KIND, DTYPE, BOUNDS = "more", "less", "shape", "kind", "dtype", "bounds"
AGENT = "agent"  # it is missing in a dict of actions
SPACE, METHOD, ORIGINAL = "action_space", "call", "original"
SHAPE_OF, COUNT, FIRST, LOW, HIGH, DTYPE_OF = "_shape", "n", "start", "low", "high", "dtype"
ARRAYS = ("numpy", "torch", "jaxlib")
NUMBERS = (bool, int, float)
MORE_ARGUMENTS = 0x04
MOST_FRAMES, LONGEST, MOST_KEYS = 8, 80, 3
KEYS = "envdoctor.probe.live.missing_keys"
Shape = Tuple[int, ...]


def misfit_of_action(hook: Hook, error: BaseException) -> Dict[str, object]:
    """The action of the step() that raises now, its space, and how they differ; empty where it is
    in that space, or where that is not known. Of a dict of actions, the key that it has not.
    """
    call = _call()
    if call is None:
        return {}
    try:
        if isinstance(error, KeyError) and isinstance(call[1], dict):
            return _without(hook, call[1], error)
        return _misfit(*call, error)
    except Exception:  # an array that cannot be compared
        return {}


def _without(hook: Hook, actions: Dict[object, object], error: KeyError) -> Dict[str, object]:
    frames: List[Tuple[FrameType, int]] = []
    traceback = error.__traceback__
    while traceback is not None:
        frames.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    asked = hook.load(KEYS).asked_without(error, frames) if error.args and frames else None
    if asked is None or asked[1] is not actions:
        return {}
    keys = ", ".join([repr(key)[:LONGEST] for key in actions][:MOST_KEYS])
    more = " and %d more" % (len(actions) - MOST_KEYS) if len(actions) > MOST_KEYS else ""
    return {"kind": ACTION, "names": [keys + more, repr(error.args[0])[:LONGEST], AGENT, ""]}


def _misfit(instance: object, action: object, error: BaseException) -> Dict[str, object]:
    space = space_of(instance, SPACE)
    shape, wanted = shape_of(action), loaded.attributes(space).get(SHAPE_OF)
    if space is None or not isinstance(wanted, tuple):
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
            instance, action = (values.get(name) for name in code.co_varnames[:2])
            if code.co_flags & MORE_ARGUMENTS:
                action = next(iter(action or ()), None)
            return instance, action
        frame = frame.f_back
    return None


def space_of(instance: object, name: str) -> object:
    """A space of an instance, where it is one of a library, and nothing makes it when it is asked
    for.
    """
    classes = (vars(kind).get(name) for kind in type(instance).__mro__)
    spaces = (loaded.attributes(instance).get(name), *classes)
    space = next((each for each in spaces if each is not None), None)
    module = type(space).__module__.partition(".")[0]
    return space if module in REGISTRIES else None


def shape_of(action: object) -> Optional[Shape]:
    """The shape of numbers, or of lists and arrays of them; None of what else there is."""
    if isinstance(action, NUMBERS):
        return ()
    if isinstance(action, (list, tuple)):
        inner = shape_of(action[0]) if action else ()
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


def _within(space: object, action: object, error: BaseException) -> str:
    """The difference of an action of the right shape: whole numbers beyond the last one, and what
    a check of its own refuses.
    """
    names = (COUNT, FIRST, LOW, HIGH, DTYPE_OF)
    count, first, low, high, wanted = map(loaded.attributes(space).get, names)
    dtype = getattr(action, DTYPE_OF, None)
    is_fraction = isinstance(action, float) or getattr(dtype, "kind", "") == "f"
    if count is not None and shape_of(action) == ():
        if is_fraction:
            return KIND
        number = operator.sub(action, first or 0)
        return "" if number >= 0 > operator.sub(number, count) else BOUNDS
    if not isinstance(error, AssertionError) or low is None or high is None:
        return ""
    if is_fraction and getattr(dtype, "itemsize", 0) > getattr(wanted, "itemsize", 0):
        return DTYPE
    numbers = operator.mul(action, 1.0)  # whole ones without a sign cannot be subtracted
    outside = (operator.sub(low, numbers) > 0) | (operator.sub(numbers, high) > 0)
    return BOUNDS if bool(outside.any()) else ""


def _words(action: object, shape: Optional[Shape], how: str) -> str:
    if shape is None or isinstance(action, NUMBERS) or how == BOUNDS:
        return str(action)[:LONGEST]
    if isinstance(action, (list, tuple)):
        return "a %s of %d" % (type(action).__name__, len(action))
    dtype = " of %s" % getattr(action, DTYPE_OF, "") if how in (DTYPE, KIND) else ""
    return "an array%s of shape %s" % (dtype, shape)
