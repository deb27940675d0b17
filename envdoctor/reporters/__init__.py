"""Reporters: pure functions from a report to text, one file a format.

A module of this package without a leading underscore is a format, named after its file without the version (`json_v1`
is `json`, `github_summary` is `github-summary`). It has `render(report, **options) -> str` and takes of the options what it needs:
width, colour, unicode, verbosity and directory for people; `root` of the repository, its `manifest`, `fail_on` and `exit_code`
for machines.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable


def _modules() -> dict[str, str]:
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    return {re.sub(r"_v\d+$", "", name).replace("_", "-"): name for name in names}


def formats() -> tuple[str, ...]:
    """Every format by name; `terminal`, the default, first."""
    return tuple(sorted(_modules(), key=lambda name: (name != "terminal", name)))


def reporter(name: str) -> Callable[..., str]:
    """The `render` function of one format. Imported only now: the terminal's brings rich. Raises KeyError."""
    module = importlib.import_module(f"{__name__}.{_modules()[name]}")
    render: Callable[..., str] = module.render
    return render
