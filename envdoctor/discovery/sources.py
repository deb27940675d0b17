"""The files of a project that an environment is made of: its own, and what they import."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath

from envdoctor.discovery.files import SourceFile
from envdoctor.discovery.modules import ModuleSeen, read

PACKAGE = "__init__"
#: Files that decide for all below their folder what is installed and how it is judged.
MANIFESTS = {
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "environment.yml",
    "environment.yaml",
    "envdoctor.toml",
    ".envdoctor-baseline.toml",
    ".envdoctor-baseline.json",
}
REQUIREMENTS = ("requirements", "constraints")  # beginnings of names of .txt and .in
#: Ends of files that no environment reads.
PROSE = {".md", ".rst", ".ipynb"}
STEPS = 10  # imports that hand a name on, before it is given up


class SourceGraph:
    """The Python files of a repository by their paths, and what they import of each other.

    `text_of` gives the text of a path: only files that an environment reaches are read.
    """

    def __init__(self, paths: Iterable[str], text_of: Callable[[str], str]) -> None:
        self._paths = frozenset(paths)
        self._text_of = text_of
        self._modules: dict[str, ModuleSeen] = {}
        self._by_end: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            self._by_end.setdefault(_parts(path)[-1], []).append(path)

    def of(self, file: str, entry: str = "") -> frozenset[str]:
        """The paths of the files that an environment is made of. Of an id that is the file of its
        registration, and all that its entry point reaches.
        """
        made = self.named(entry, file) if entry else frozenset[str]()
        return self._with_packages(file) | (made or self.reached([file]))

    def named(self, name: str, importer: str = "") -> frozenset[str]:
        """All that a module, or a name in it, is made of; empty where no file is that module."""
        targets = list(self._targets(name, importer))
        packages = (self._with_packages(path) for path, _ in targets)
        followed = self.reached(path for path, is_followed in targets if is_followed)
        return followed.union(*packages)

    def reached(self, starts: Iterable[str]) -> frozenset[str]:
        """Files, what they import, what that imports, and the packages that these are in. Of what
        a package itself imports, only what is taken from it is followed.
        """
        followed: set[str] = set()
        beside: set[str] = set()
        waiting = [path for path in starts if path in self._paths]
        while waiting:
            path = waiting.pop()
            if path in followed:
                continue
            followed.add(path)
            beside |= self._with_packages(path)
            for name in _needed(self._read(path)):
                for target, is_followed in self._targets(name, path):
                    beside |= self._with_packages(target)
                    waiting += [target] * is_followed
        return frozenset(followed | beside)

    def folder_of(self, path: str) -> str | None:
        """The nearest folder around a file that holds a Python file."""
        return next((each for each in _above(path) if each in self._folders), None)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(_above(path)[0] for path in self._paths)

    def _targets(self, name: str, importer: str) -> Iterator[tuple[str, bool]]:
        """The files that a full name stands for, through the imports of packages, and whether all
        that each imports is followed.
        """
        waiting = [(name, importer, STEPS)]
        while waiting:
            wanted, origin, steps = waiting.pop()
            paths, rest = self._files_for(wanted, origin)
            for path in paths:
                first, _, others = rest.partition(".")
                asks = _is_package(path) and first not in ("", "*") and steps > 0
                stands = self._read(path).names.get(first) if asks else None
                if stands is not None:
                    waiting.append((f"{stands}.{others}".rstrip("."), path, steps - 1))
                yield path, stands is None and not (_is_package(path) and not rest)

    def _files_for(self, name: str, importer: str) -> tuple[list[str], str]:
        """The file of the longest module in a full name, and the rest of that: of several files
        those that are nearest to the one that imports it.
        """
        parts = name.split(".")
        lengths = range(len(parts), 0, -1) if parts[0] not in sys.stdlib_module_names else ()
        for length in lengths:
            paths = self._files_of(tuple(parts[:length]))
            nearest = max((_common(path, importer) for path in paths), default=0)
            if paths:
                near = [path for path in paths if _common(path, importer) == nearest]
                return near, ".".join(parts[length:])
        return [], ""

    def _files_of(self, parts: tuple[str, ...]) -> list[str]:
        """The files that may be a module; one of a single part is in no package."""
        return [
            path
            for path in self._by_end.get(parts[-1], ())
            if _parts(path)[-len(parts) :] == parts
            and (len(parts) > 1 or self._module(path) == parts[0])
        ]

    def _with_packages(self, path: str) -> frozenset[str]:
        """A file and the `__init__.py` of each package that it is in."""
        packages = (f"{folder}/{PACKAGE}.py".removeprefix("./") for folder in _above(path))
        return frozenset([path, *(each for each in packages if each in self._paths)])

    def _read(self, path: str) -> ModuleSeen:
        if path not in self._modules:
            file = SourceFile(path, "", self._module(path), self._text_of(path))
            self._modules[path] = read(file, ())
        return self._modules[path]

    def _module(self, path: str) -> str:
        """The dotted name of a file, from the first folder above it that is not a package."""
        parts = _parts(path)
        around = list(
            takewhile(
                lambda folder: f"{folder}/{PACKAGE}.py".removeprefix("./") in self._paths,
                _above(path),
            )
        )
        return ".".join(parts[-max(len(around) + (not _is_package(path)), 1) :])


def is_changed(own: frozenset[str], changed: Iterable[str], sources: SourceGraph) -> bool:
    """Return whether one of these files has changed, or a file of data beside or below them, or
    what decides how all below its folder are installed and judged.
    """
    folders = {_above(path)[0] for path in own}
    for path in changed:
        name = path.rpartition("/")[2]
        end = PurePosixPath(path).suffix
        if path in own:
            return True
        if _is_manifest(name):
            affected = _above(path)[:1]
        elif not end:  # it may be a repository in this one, which git names as one path
            affected = [path]
        else:
            affected = []
        if any(folder in _above(each) for folder in affected for each in own):
            return True
        is_data = end not in {".py", *PROSE} and not name.startswith(".")
        if is_data and sources.folder_of(path) in folders:
            return True
    return False


def _needed(module: ModuleSeen) -> list[str]:
    """The full names that a file imports, and those that it takes from what it imported. Where it
    takes nothing from a package, that was imported for what its own lines do.
    """
    packages = {bound for name, bound in module.names.items() if name == bound}
    used = {
        name
        for name in module.used
        if name.partition(".")[0] in packages or any(_is_in(name, each) for each in module.imports)
    }
    plain = {f"{name}.*" for name in module.imports if not any(_is_in(each, name) for each in used)}
    return sorted(module.imports | used | plain)


def _is_in(name: str, package: str) -> bool:
    return name.startswith(f"{package}.")


def _is_manifest(name: str) -> bool:
    is_list = name.startswith(REQUIREMENTS) and name.endswith((".txt", ".in"))
    return name in MANIFESTS or is_list


def _is_package(path: str) -> bool:
    return path.rpartition("/")[2] == f"{PACKAGE}.py"


def _above(path: str) -> list[str]:
    """The folders that a path is in, the nearest first."""
    return [str(each) for each in PurePosixPath(path).parents]


def _parts(path: str) -> tuple[str, ...]:
    """`("src", "rob", "arm")` of a module, `("src", "rob")` of a package."""
    parts = PurePosixPath(path).with_suffix("").parts
    return parts[:-1] if parts[-1] == PACKAGE and parts[:-1] else parts


def _common(path: str, other: str) -> int:
    """The number of folders that two paths have in common from their beginning."""
    pairs = zip(_above(path)[::-1], _above(other)[::-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
