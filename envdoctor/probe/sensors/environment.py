"""Environment variables. Names and digests only: values may be secrets, and readings are kept
and shared.
"""

from __future__ import annotations

import hashlib
import os
from typing import Dict

from envdoctor.probe.sensors import Context

NAME = "environment"
OF_PROCESS = True


def missing() -> str:
    """They can be listed everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{variable: digest of its value}."""
    return {
        name: "%s with digest %d" % (name, _digest(value)) for name, value in os.environ.items()
    }


def _digest(value: str) -> int:
    """Short on purpose: enough to see a change, too little to find the value by trying."""
    return int.from_bytes(
        hashlib.sha256(value.encode("utf-8", "surrogateescape")).digest()[:4], "big"
    )
