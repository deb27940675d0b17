"""Reporters: pure functions from a report to text, one file a format.

A module or package in this package, without a leading underscore, is a format, named after its file without the version (`json_v1`
is `json`). It has `render(report, **options) -> str`, where the options are width, colour, unicode,
verbosity and directory.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable


def _modules() -> dict[str, str]:
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    return {re.sub(r"_v\d+$", "", name): name for name in names}


def formats() -> tuple[str, ...]:
    """Every format by name; `terminal`, the default, first."""
    return tuple(sorted(_modules(), key=lambda name: (name != "terminal", name)))


def reporter(name: str) -> Callable[..., str]:
    """The `render` function of one format. Imported only now: the terminal's brings rich. Raises KeyError."""
    module = importlib.import_module(f"{__name__}.{_modules()[name]}")
    render: Callable[..., str] = module.render
    return render
