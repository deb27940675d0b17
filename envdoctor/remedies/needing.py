"""The imports that lines to paste need where they go."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from envdoctor.model.remedy import TOP, Edit
from envdoctor.remedies.source import File

MODULES = (
    "asyncio",
    "atexit",
    "contextlib",
    "copy",
    "functools",
    "logging",
    "multiprocessing",
    "os",
    "random",
    "shutil",
    "threading",
    "signal",
    "subprocess",
    "warnings",
    "weakref",
)


def needed(file: File, lines: Iterable[str]) -> tuple[Edit, ...]:
    """Edits that import the modules of the standard library that these lines use."""
    text = "\n".join(lines)
    bound = bound_names(file)
    return tuple(
        Edit(file.path, TOP, (f"import {name}",))
        for name in MODULES
        if re.search(rf"(?<![\w.]){name}\.", text) and name not in bound
    )


def bound_names(file: File) -> set[str]:
    """The names that the module's own top level binds by imports."""
    return {
        alias.asname or alias.name.split(".")[0]
        for node in file.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
