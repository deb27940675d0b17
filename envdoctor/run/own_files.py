"""Files that a fix may change: those of the project, not of libraries or interpreters."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from envdoctor.analysis.undefined_names import MAX_BYTES, text_of
from envdoctor.remedies.source import File

LIBRARIES = {"site-packages", "dist-packages"}
ENVIRONMENT = "pyvenv.cfg"  # in each virtual environment
_STANDARD = re.compile(r"/lib(64)?/python\d")


def refusal(file: str, roots: Iterable[str]) -> str:
    """The reason why a file must not be changed, or nothing. A link counts as what it names."""
    path = Path(os.path.realpath(file))
    inside = [root for root in map(os.path.realpath, roots) if path.is_relative_to(root)]
    if LIBRARIES & set(path.parts) or _STANDARD.search(str(path)):
        return f"{file} belongs to a library"
    if not inside:
        return f"{file} is outside the project"
    between = [folder for folder in path.parents if folder.is_relative_to(max(inside, key=len))]
    if any((folder / ENVIRONMENT).exists() for folder in between):
        return f"{file} belongs to a virtual environment"
    try:
        state = path.stat()
    except OSError as error:
        return f"{file}: {error.strerror}"
    if state.st_nlink > 1:
        return f"{file} has {state.st_nlink} hard links, of which only one would be changed"
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return f"{file} may not be written"
    return ""


def read_file(path: str) -> File:
    """A source file that can be read as a whole. Raises OSError, SyntaxError, ValueError."""
    data = Path(path).read_bytes()
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path} is too large")
    return File(path, text_of(data), data)


def copy_folder(folder: Path, copy: Path, new: Mapping[str, str]) -> None:
    """Fill the copy of a folder: changed files, modules that may name them, and links to the rest.
    Packages are folders here, too: what looks for modules does not follow links to folders.
    """
    for each in folder.iterdir():
        text, to = new.get(str(each)), copy / each.name
        if text is not None:
            to.write_text(text, encoding="utf-8")
        elif (each / "__init__.py").is_file() or any(each in Path(path).parents for path in new):
            to.mkdir()
            copy_folder(each, to, new)
        elif each.suffix == ".py" and len(new) > 1:  # Python follows the link of a program
            shutil.copyfile(each, to)
        elif each.name != "__pycache__":
            to.symlink_to(each)
