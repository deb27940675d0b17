"""Copies of the user's files with a remedy in them, imported in place of the originals: under their
names and paths, so that a module finds what stands beside it.
"""

from __future__ import annotations

import importlib.machinery
import io
import linecache
import os
from typing import TYPE_CHECKING, Callable, Dict, Mapping

if TYPE_CHECKING:
    from importlib.machinery import SourceFileLoader

_copies: Dict[str, str] = {}  # {path of the original: path of its copy}
_read_original: Callable[..., object] = importlib.machinery.SourceFileLoader.get_code


def install(copies: Mapping[str, str]) -> None:
    """From here on, import these copies. Modules that are loaded already stay as they are."""
    for original, copy in copies.items():
        _copies[os.path.realpath(original)] = copy
    if copies:
        setattr(importlib.machinery.SourceFileLoader, "get_code", _code)  # noqa: B010


def copy_of(path: str) -> str:
    """The path of the copy of a file; its own where it has none."""
    return _copies.get(os.path.realpath(path), path)


def _code(loader: SourceFileLoader, name: str) -> object:
    """The code of a module, of its copy where it has one."""
    path = loader.get_filename(name)
    copy = _copies.get(os.path.realpath(path))
    if copy is None:
        return _read_original(loader, name)
    with open(copy, "rb") as file:
        data = file.read()
    lines = io.StringIO(data.decode("utf-8"), newline=None).readlines()
    linecache.cache[path] = (len(data), None, lines, path)  # what stacks and inspect show
    return compile(data, path, "exec", dont_inherit=True)
