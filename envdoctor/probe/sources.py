"""Lines at which a class or a function is written."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Optional


def source_of(target: Any) -> Optional[Dict[str, object]]:
    """File, line and name of a class or function; None for what has no source."""
    try:
        target = inspect.unwrap(target)
        file = inspect.getsourcefile(target)
        line = (
            target.__code__.co_firstlineno
            if hasattr(target, "__code__")
            else inspect.findsource(target)[1] + 1
        )
    except (TypeError, OSError, AttributeError):
        return None
    return (
        {"file": file, "line": line, "function": getattr(target, "__qualname__", "")}
        if file
        else None
    )
