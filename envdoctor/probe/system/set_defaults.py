"""Variables of the process that os.environ.setdefault() has set, because they were missing."""

from __future__ import annotations

import os
from typing import Callable, Dict, Optional, Union

from envdoctor.model.named_variables import MISSING, SENSOR

_filled: Dict[str, str] = {}  # what setdefault() has set

_Variables = type(os.environ)
_original: Callable[..., str] = _Variables.setdefault


def _set_default(variables: os._Environ[str], key: str, default: Optional[str] = None) -> str:
    """In the place of setdefault() of os.environ: the same, and it is remembered. A copy of
    os.environ has one of its own.
    """
    is_missing = variables is os.environ and key not in variables
    value = _original(variables, key, default)
    if is_missing:
        _filled[key] = value
    return value


_Variables.setdefault = _set_default  # type: ignore[method-assign, assignment]


def marked(sensor: str, reading: Union[int, Dict[str, str]]) -> Union[int, Dict[str, str]]:
    """A reading in which these variables are marked, as long as they have that value."""
    if sensor != SENSOR or not isinstance(reading, dict) or not _filled:
        return reading
    return {
        name: text + (MISSING if name in _filled and _filled[name] == os.environ.get(name) else "")
        for name, text in reading.items()
    }
