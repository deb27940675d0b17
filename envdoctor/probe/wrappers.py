"""What is under an environment's wrappers."""

from __future__ import annotations

from typing import Any


def innermost(environment: Any) -> Any:
    """The environment under all wrappers; the object itself when it knows none."""
    try:
        return environment.unwrapped
    except Exception:
        return environment
