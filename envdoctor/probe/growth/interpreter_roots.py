"""Objects that the interpreter itself keeps: handlers of signals, and what `atexit` calls at the
end. No module and no class leads there, so that the collector knows nothing of it.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import signal
import types
from typing import Iterator, List, Tuple, Type, Union

from envdoctor.model.kept_chains import AT_EXIT, HANDLER
from envdoctor.probe.growth.chains import is_a, type_name

_FUNCTIONS: Tuple[Type[Union[types.FunctionType, types.BuiltinFunctionType]], ...] = (
    types.FunctionType,
    types.BuiltinFunctionType,
)


def roots() -> List[Tuple[str, object]]:
    """(expression, object) of each."""
    return [*_handlers(), *((AT_EXIT % _called(each), each) for each in at_exit())]


def _handlers() -> Iterator[Tuple[str, object]]:
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if handler is not None and not isinstance(handler, int):
            yield HANDLER % getattr(number, "name", number), handler


class _Listener:
    """Hears with what it is compared, and is equal to nothing."""

    def __init__(self) -> None:
        self.heard: List[object] = []

    def __eq__(self, other: object) -> bool:
        self.heard.append(other)
        return False

    __hash__ = None  # type: ignore[assignment]


def at_exit() -> List[object]:
    """Return what is registered with `atexit`, without its arguments. Nothing tells it: but to take
    a callback back compares it with each of them, up to the first whose own comparison raises.
    """
    listener = _Listener()
    with contextlib.suppress(Exception):
        atexit.unregister(listener)  # type: ignore[arg-type]
    return listener.heard


def _called(callback: object) -> str:
    """`pkg.sim.Arm.close`. No code of the subject runs."""
    while is_a(callback, functools.partial):
        callback = callback.func
    function = callback.__func__ if is_a(callback, types.MethodType) else callback
    if not is_a(function, _FUNCTIONS):
        return type_name(type(function))
    module = str(function.__module__ or "")
    return "%s.%s" % (module, function.__qualname__) if module else str(function.__qualname__)
