"""Imports of the standard library that edits leave without a use: they go with the edits."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import PurePath

from envdoctor.model.remedy import Change
from envdoctor.remedies.source import File

Statement = ast.Import | ast.ImportFrom
#: Modules that do something when they are imported.
ACTING = frozenset(("__future__", "antigravity", "readline", "rlcompleter", "site", "this"))
_WORDS = re.compile(r"(?<![\w.])\w+")  # no attributes


def without_use(
    file: File, text: str, made: Iterable[Change], others: Iterable[File] = ()
) -> Iterator[Change]:
    """Changes of a file that take out the imports which its text does not use once changes are
    `made`: where the file used them, and none of the other files takes them from it. Nothing of a
    package's `__init__.py`, nor of imports below a condition, or with a comment.
    """
    try:
        after = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    if PurePath(file.path).name == "__init__.py":
        return
    imported = {
        name for other in others if other is not file for name in _imported_from(other, file)
    }
    used, left = _words(file.text, file.tree), _words(text, after) | imported
    made = list(made)
    replaced = {line for each in made for line in range(each.line, each.line + each.deleted)}
    for node in file.tree.body:
        if not isinstance(node, Statement) or not _is_plain(file, node) or node.lineno in replaced:
            continue
        gone = [each for each in node.names if _bound(each) in used - left]
        kept = [each for each in node.names if each not in gone]
        if gone and kept:
            yield Change(file.path, node.lineno, 1, (_line(node, kept),))
        elif gone:
            gap = len(_gap(file, node))
            is_followed = any(0 <= each.line - node.lineno <= gap for each in made)
            yield Change(file.path, node.lineno, 1 if is_followed else 1 + gap, ())


def _imported_from(other: File, file: File) -> Iterator[str]:
    """The names that a file takes from the module of another one."""
    module = PurePath(file.path).stem
    for full in other.imported.values():
        path, _, name = full.rpartition(".")
        if path.rpartition(".")[2] == module:
            yield name


def _words(text: str, tree: ast.Module) -> set[str]:
    """The words of a text, those of comments and strings too, without its import statements."""
    lines = text.split("\n")
    for node in tree.body:
        if isinstance(node, Statement):
            end = node.end_lineno or node.lineno
            lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
    return set(_WORDS.findall("\n".join(lines)))


def _is_plain(file: File, node: Statement) -> bool:
    """Return True for an import of the standard library that has its line for itself."""
    names, roots = [each.name for each in node.names], set(roots_of(node))
    is_known = roots <= sys.stdlib_module_names - ACTING and "*" not in names
    has_dots = isinstance(node, ast.Import) and any("." in name for name in names)
    return is_known and not has_dots and file.lines[node.lineno - 1] == ast.unparse(node)


def roots_of(node: ast.stmt) -> list[str]:
    """`os` of `import os.path`, and of `from os import path`; a dot of a relative import."""
    if isinstance(node, ast.ImportFrom):
        return ["." if node.level else (node.module or "").partition(".")[0]]
    names = node.names if isinstance(node, ast.Import) else ()
    return [each.name.partition(".")[0] for each in names]


def _bound(name: ast.alias) -> str:
    return name.asname or name.name


def _line(node: Statement, names: list[ast.alias]) -> str:
    """The import of these names alone."""
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names))
    return ast.unparse(ast.ImportFrom(node.module, names, node.level))


def _gap(file: File, node: Statement) -> list[str]:
    """The empty lines below an import that would stay: all at the top of the file, else one where
    another one is above it.
    """
    above, below = file.lines[: node.lineno - 1], file.lines[node.lineno :]
    empty = list(takewhile(lambda line: not line.strip(), below))
    return empty if not above else empty[: not above[-1].strip()]
