"""Exporters: where samples of a training go while it runs, one file a kind.

A module of this package is a kind, named after its file; other packages add theirs as entry points
of the group `envdoctor.exporters`. It has `exporter(target) -> Exporter`, which may raise, and may
have `check(target)`, which raises ValueError for a target that is spelled wrongly, and `NEEDS`:
{module that it imports: what installs it}. Its library is imported in `exporter()`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import ModuleType
from typing import Protocol

from envdoctor.errors import UsageError
from envdoctor.plugins import plugins
from envdoctor.watch.samples import Sample

GROUP = "exporters"


class Exporter(Protocol):
    """A target that is open. All calls come from one thread, and may raise."""

    def write(self, sample: Sample) -> None:
        """Write a sample, so that it is there once this returns."""

    def close(self) -> None:
        """Give back what it has open."""


def kinds() -> dict[str, str]:
    """Return {kind: its module}; our own come first."""
    modules = pkgutil.iter_modules(__path__)
    own = {
        each.name: f"{__name__}.{each.name}" for each in modules if not each.name.startswith("_")
    }
    return {**plugins(GROUP), **own}


def opener(kind: str, target: str) -> Callable[[], Exporter]:
    """Return what opens a target of a kind. Raises UsageError where that cannot work: its library
    is not installed, or the target is spelled wrongly.
    """
    module = _module(kind)
    needs: Mapping[str, str] = getattr(module, "NEEDS", {})
    for library, install in needs.items():
        if not _is_there(library):
            raise UsageError(
                f"--export {kind} needs {library.partition('.')[0]}: pip install {install!r}"
            )
    check: Callable[[str], None] = getattr(module, "check", lambda _target: None)
    try:
        check(target)
    except ValueError as error:
        raise UsageError(f"invalid --export {kind}={target}: {error}") from error
    return lambda: _opened(module, target)


def _opened(module: ModuleType, target: str) -> Exporter:
    result: Exporter = module.exporter(target)
    return result


def _module(kind: str) -> ModuleType:
    name = kinds()[kind]
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise UsageError(
            f"the exporter {kind} cannot be used: {name} failed with"
            f" {type(error).__name__}: {error}"
        ) from error


def _is_there(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ImportError:  # a package above it
        return False
