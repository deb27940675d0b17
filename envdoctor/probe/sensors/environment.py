"""Environment variables. Names and digests only: values may be secrets, and readings are kept
and shared. What os.environ.setdefault() has set, where it was missing, is marked.
"""

from __future__ import annotations

import hashlib
import os
from typing import Dict

from envdoctor.model.named_variables import MISSING
from envdoctor.probe.sensors import Context

NAME = "environment"
OF_PROCESS = True


def missing() -> str:
    """They can be listed everywhere."""
    return ""


_filled: Dict[str, str] = {}  # what setdefault() has set


def _set_default(key: str, value: str) -> str:
    """In the place of os.environ.setdefault(): the same, and it is remembered."""
    if key not in os.environ:
        os.environ[key] = value
        _filled[key] = os.environ[key]
    return os.environ[key]


os.environ.setdefault = _set_default  # type: ignore[method-assign]


def read(_context: Context) -> Dict[str, str]:
    """{variable: digest of its value}."""
    return {
        name: "%s with digest %d%s" % (name, _digest(value), _mark(name, value))
        for name, value in os.environ.items()
    }


def _mark(name: str, value: str) -> str:
    return MISSING if _filled.get(name) == value else ""


def _digest(value: str) -> int:
    """Short on purpose: enough to see a change, too little to find the value by trying."""
    return int.from_bytes(
        hashlib.sha256(value.encode("utf-8", "surrogateescape")).digest()[:4], "big"
    )
