"""The Python files and notebooks of a folder, and the modules that they are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from envdoctor.model.facts.decoding import read_loosely
from envdoctor.model.fast_dataclass import dataclass

#: Folders of tools, of other people's packages, and of what was built.
NOT_ENTERED = {"node_modules", "site-packages", "dist-packages", "build", "dist", "__pycache__"}
TESTS = {"test", "tests", "testing"}
LARGEST = 2 << 20  # bytes of a file: larger ones hold data
MOST = 5_000  # files


@dataclass(frozen=True)
class SourceFile:
    """One file. `path` is relative to where the user is; `root`, where imports of its module
    begin, is as well; `module` is the dotted name from there. A notebook
    has no module, and its text is that of its code cells.
    """

    path: str
    root: str
    module: str
    text: str

    @property
    def is_notebook(self) -> bool:
        """True of a notebook, which no other process can import."""
        return not self.module


@dataclass(frozen=True)
class Notebook:
    """As much of a notebook's file as is read."""

    cells: tuple[object, ...] = ()


@dataclass(frozen=True)
class NotebookCell:
    """One cell; `source` is its text, or its lines with their ends."""

    cell_type: str = ""
    source: str | tuple[str, ...] = ""


def source_files(folder: Path, here: Path) -> Iterator[SourceFile]:
    """The files below a folder, in the order of their paths; or the one file that it is. Tests,
    hidden folders and virtual environments are left out, unless one of them was asked for.
    """
    paths = [folder] if folder.is_file() else _below(folder)
    for path in paths:
        try:
            if path.stat().st_size > LARGEST:
                continue
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if path.suffix == ".ipynb":
            yield SourceFile(_relative(path, here), "", "", cells(text))
            continue
        root = import_root(path)
        names = path.relative_to(root).with_suffix("").parts
        module = ".".join(names[:-1] if names[-1] == "__init__" and names[:-1] else names)
        yield SourceFile(_relative(path, here), _relative(root, here), module, text)


def import_root(path: Path) -> Path:
    """The folder in which imports of a file's module begin: the first one above it that is not a
    package.
    """
    root = path.parent
    while (root / "__init__.py").is_file() and root.parent != root:
        root = root.parent
    return root


def cells(text: str) -> str:
    """The code of a notebook, without the lines that are for its shell; "" where it is none."""
    try:
        notebook = read_loosely(Notebook, json.loads(text))
    except (ValueError, RecursionError):
        return ""
    every = [read_loosely(NotebookCell, each) for each in notebook.cells]
    code = "\n".join("".join(each.source) for each in every if each.cell_type == "code")
    lines = code.split("\n")
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)


def _below(folder: Path) -> list[Path]:
    paths: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_entered(Path(place, name)))
        paths += [
            Path(place, name)
            for name in sorted(names)
            if name.endswith((".py", ".ipynb")) and not _is_test(name)
        ]
        if len(paths) > MOST:
            break
    return paths[:MOST]


def _is_entered(folder: Path) -> bool:
    name = folder.name
    return not (
        name.startswith(".")
        or name in NOT_ENTERED
        or name in TESTS
        or name.endswith(".egg-info")
        or (folder / "pyvenv.cfg").exists()
    )


def _is_test(name: str) -> bool:
    return name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"


def _relative(path: Path, here: Path) -> str:
    return Path(os.path.relpath(path, here)).as_posix()
