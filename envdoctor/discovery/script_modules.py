"""The files that a script runs: itself, and what it imports from the folders around it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from envdoctor.discovery.files import SourceFile, source_files
from envdoctor.discovery.modules import ModuleSeen, read
from envdoctor.frameworks import REGISTRIES

MOST = 500  # files: more are not read
SOURCES = "src"  # a folder of a project in which packages lie


def modules_of(starts: Iterable[Path], folders: Sequence[Path]) -> Iterator[ModuleSeen]:
    """Yield the modules of these files, of what they import, and what that imports: as far as they
    lie in one of the folders, or in the folder in which imports of the file itself begin.
    """
    waiting, known = [each.resolve() for each in starts], set[Path]()
    while waiting and len(known) < MOST:
        path = waiting.pop()
        if path in known:
            continue
        known.add(path)
        for file in source_files(path, Path("/")):
            module = read(file, REGISTRIES)
            yield module
            waiting += imported_files(module, folders)


def imported_files(module: ModuleSeen, folders: Sequence[Path]) -> Iterator[Path]:
    """The files that a module imports from these folders, or from its own."""
    roots = (_root(module.file), *(each / end for each in folders for end in ("", SOURCES)))
    for name in sorted(module.imports):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            for root in roots:
                yield from filter(os.path.isfile, _candidates(root.joinpath(*parts[:length])))


def path_of(module: str, folders: Iterable[Path]) -> Path | None:
    """The file of a module that `python -m` runs, in the first of the folders that has it."""
    parts = module.split(".")
    files = (
        path
        for folder in folders
        for path in (folder.joinpath(*parts, "__main__.py"), *_candidates(folder.joinpath(*parts)))
    )
    return next(filter(os.path.isfile, files), None)


def _candidates(place: Path) -> tuple[Path, Path]:
    return place.with_name(f"{place.name}.py"), place / "__init__.py"


def _root(file: SourceFile) -> Path:
    return Path("/", file.root)
