"""The folders from which the packages of a repository that holds several are imported."""

from __future__ import annotations

import os
from pathlib import Path

from envdoctor.discovery.files import NOT_ENTERED

MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
SOURCES = "src"
DEEPEST = 2  # folders: packages/arm/pyproject.toml


def roots_of(module: str | None, directory: str) -> tuple[str, ...]:
    """The folders from which a module of a folder is imported after all others: `src`, and, where
    the module lies in one of several packages below, those of all of them, which may import each
    other.
    """
    source = Path(directory, SOURCES)
    own = (str(source),) if source.is_dir() else ()
    first = (module or "").partition(".")[0]
    if not first or any(_holds(root, first) for root in (Path(directory), source)):
        return own
    packages = _package_roots(Path(directory), DEEPEST)
    is_there = any(_holds(root, first) for root in packages)
    return own + (tuple(map(str, packages)) if is_there else ())


def _holds(root: Path, name: str) -> bool:
    """Return whether a module is there: a folder with a manifest is a project of that name."""
    below = root / name
    is_package = below.is_dir() and not _has_manifest(below)
    return (root / f"{name}.py").is_file() or (below / "__init__.py").is_file() or is_package


def _has_manifest(folder: Path) -> bool:
    return any((folder / each).is_file() for each in MANIFESTS)


def _package_roots(folder: Path, depth: int) -> list[Path]:
    """`src` of each folder below that has a manifest, or else that folder."""
    try:
        inside = sorted(os.listdir(folder))
    except OSError:
        return []
    roots: list[Path] = []
    for name in inside:
        below = folder / name
        if name.startswith(".") or name in NOT_ENTERED or not below.is_dir():
            continue
        if _has_manifest(below):
            source = below / SOURCES
            roots.append(source if source.is_dir() else below)
        elif depth > 1:
            roots += _package_roots(below, depth - 1)
    return roots
