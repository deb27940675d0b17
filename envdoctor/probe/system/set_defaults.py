"""Variables of the process that os.environ.setdefault() has set, because they were missing."""

from __future__ import annotations

import os
from typing import Dict, Union

from envdoctor.model.named_variables import MISSING, SENSOR

_filled: Dict[str, str] = {}  # what setdefault() has set


def _set_default(key: str, value: str) -> str:
    """In the place of os.environ.setdefault(): the same, and it is remembered."""
    if key not in os.environ:
        os.environ[key] = value
        _filled[key] = os.environ[key]
    return os.environ[key]


os.environ.setdefault = _set_default  # type: ignore[method-assign]


def marked(sensor: str, reading: Union[int, Dict[str, str]]) -> Union[int, Dict[str, str]]:
    """A reading in which these variables are marked, as long as they have that value."""
    if sensor != SENSOR or not isinstance(reading, dict) or not _filled:
        return reading
    return {
        name: text + (MISSING if name in _filled and _filled[name] == os.environ.get(name) else "")
        for name, text in reading.items()
    }
