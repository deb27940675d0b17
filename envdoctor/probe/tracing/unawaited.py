"""Coroutines that a line of the user's made, and nothing awaited: they never ran. Python says so
in a warning that most programs never show.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from envdoctor.probe.frameworks import names

Tell = Callable[[Dict[str, object]], object]

DEPTH = 4  # frames of the origin that Python keeps: the line that made the coroutine, and above
_HOOK = "_warn_unawaited_coroutine"  # what Python calls; it has no public name


@contextlib.contextmanager
def listening(tell: Tell, is_users: Callable[[str], bool]) -> Iterator[None]:
    """Meanwhile, `tell` gets each such coroutine. Its warning is given as ever. Only those count
    that this thread made in a line of the user's: what a library forgets is its own affair.
    """
    before = getattr(warnings, _HOOK, None)
    depth = sys.get_coroutine_origin_tracking_depth()
    if before is None:
        yield
        return

    def unawaited(coroutine: object) -> None:
        with contextlib.suppress(Exception):  # no error of ours is one of a finalizer
            fact = _described(coroutine, is_users)
            if fact is not None:
                tell(fact)
        before(coroutine)

    setattr(warnings, _HOOK, unawaited)
    sys.set_coroutine_origin_tracking_depth(max(depth, DEPTH))
    try:
        yield
    finally:
        sys.set_coroutine_origin_tracking_depth(depth)
        if getattr(warnings, _HOOK) is unawaited:
            setattr(warnings, _HOOK, before)


def _described(coroutine: Any, is_users: Callable[[str], bool]) -> Optional[Dict[str, object]]:
    origin, name = coroutine.cr_origin, coroutine.__qualname__
    handed = _handed_out(coroutine)
    if handed and origin:
        begins, ends = handed
        owner, _, name = name.rpartition(".")
        name = "%s.%s" % (owner, name[len(begins) : -len(ends)])
        origin = [frame for frame in origin if is_users(frame[0])]
    if not origin or not is_users(origin[0][0]):
        return None
    file, line, function = origin[0]
    return {"name": name, "place": {"file": file, "line": line, "function": function}}


def _handed_out(coroutine: Any) -> Optional[Tuple[str, str]]:
    """Return what the name of a coroutine that a library makes in a call has in front of the name
    of that call, and after it; None for any other coroutine.
    """
    for module, around in names.MAKING_COROUTINES.items():
        file = getattr(sys.modules.get(module), "__file__", None)
        if file == coroutine.cr_code.co_filename:
            return around
    return None
