"""Filters on warnings that catch everybody's. A side effect: what a program wants to be warned
of is its own decision.
"""

from __future__ import annotations

import warnings
from typing import Any, Dict, Optional

from envdoctor.probe.sensors import Context

NAME = "warnings"
OF_PROCESS = True


def missing() -> str:
    """Filters can be listed everywhere."""
    return ""


def read(_context: Context) -> Dict[str, str]:
    """{"ignore UserWarning": "from everywhere"}, for filters that name neither a module nor a
    message.
    """
    texts = [_text(entry) for entry in list(warnings.filters)]
    return {text: "from everywhere" for text in texts if text}


def _text(entry: Any) -> Optional[str]:
    action, message, category, module, line = entry
    # A library's own category does no harm.
    if message or module or line or getattr(category, "__module__", "") != "builtins":
        return None
    return "%s %s" % (action, category.__name__)
