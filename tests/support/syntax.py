"""The syntax of source files: several tests read it, and each file is parsed once for all of them."""

from __future__ import annotations

import ast
import gc
from functools import cache


@cache
def tree(text: str) -> ast.Module:
    """The syntax tree of a module's text."""
    parsed = ast.parse(text)
    gc.freeze()  # to look through what stays, again and again, takes as long as to parse
    return parsed


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """All nodes of that tree."""
    return tuple(ast.walk(tree(text)))


def forget() -> None:
    """Let them go: a million objects that each search of the heap would look at."""
    tree.cache_clear()
    nodes.cache_clear()
    gc.unfreeze()
