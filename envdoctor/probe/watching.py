"""Who closes instances of the environment's own class: also those that it builds and drops by itself."""

from __future__ import annotations

import functools
from typing import Any, Callable

from envdoctor.probe import instrument
from envdoctor.probe.journal import Journal


def watch_closes(environment: Any, journal: Journal) -> Callable[[], None]:
    """Journal `inner closed` whenever close() of the innermost object's class runs. Returns a function that ends the watch."""
    kind: Any = type(instrument.innermost(environment))
    original = kind.__dict__.get("close")
    inherited = getattr(kind, "close", None)
    if inherited is None:
        return lambda: None

    @functools.wraps(inherited)
    def close(self: Any, *args: Any, **kwargs: Any) -> Any:
        journal.write("inner", what="closed", base=instrument.serial_of(self), id=id(self))
        return inherited(self, *args, **kwargs)

    def stop() -> None:
        if original is not None:
            kind.close = original
        else:
            del kind.close

    try:
        kind.close = close
    except (AttributeError, TypeError):  # a class written in C
        return lambda: None
    return stop
