"""Reporters: pure functions from a report to text, one file a format.

A module or package in this package without a leading underscore is a format, named after its file
without the version (`json_v1` is `json`, `github_summary` is `github-summary`); other packages add
theirs as entry points of the group `envdoctor.reporters`. It has
`render(report, **options) -> str`, whose text ends with a line end, and takes of the options what
it needs: width, colour, unicode, verbosity and directory for people; `root` of the repository, its
`manifest`, `fail_on` and `exit_code` for machines.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable

from envdoctor.errors import UsageError
from envdoctor.plugins import plugins


def _own() -> dict[str, str]:
    names = [
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    ]
    return {re.sub(r"_v\d+$", "", name).replace("_", "-"): f"{__name__}.{name}" for name in names}


def _modules() -> dict[str, str]:
    return {**plugins("reporters"), **_own()}


def formats() -> tuple[str, ...]:
    """Every format by name; `terminal`, the default, first."""
    return _in_order(_modules())


def own_formats() -> tuple[str, ...]:
    """Those that come with envdoctor: no package is looked into for more."""
    return _in_order(_own())


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (name != "terminal", name)))


def reporter(name: str) -> Callable[..., str]:
    """The `render` function of one format. Imported only now: the terminal's brings rich.

    Raises KeyError for an unknown name, UsageError for a plug-in that cannot be used.
    """
    module = _modules()[name]
    try:
        render: Callable[..., str] = importlib.import_module(module).render
    except Exception as error:
        if module.startswith(__name__):
            raise
        raise UsageError(
            f"the format {name} cannot be used: its plug-in {module} failed with"
            f" {type(error).__name__}: {error}"
        ) from error
    return render
