"""The lines of code that make a container longer, found by reading: `self.history.append(...)`.

Read from the source of the environment's own classes and of the module that the container belongs
to, without running any of it. A name that is written in several places gives several lines.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple

MAX_LINES = 8
_ADDING = frozenset(
    ("add", "append", "appendleft", "extend", "extendleft", "insert", "put", "setdefault", "update")
)
_LEAF = re.compile(r"(\w+)(?:\[[^\]]*\])*$")  # `history` of `self.history`, `REG` of `sim.REG['a']`


class SourceLine(NamedTuple):
    """A line of code as the journal has it (`model.facts.growth.GrowingLine`)."""

    file: str
    line: int
    function: str
    text: str


def growing_lines(chain: str, kinds: Iterable[type]) -> List[Dict[str, object]]:
    """Each statement that adds to the container that `chain`
    leads to: those in the environment's own classes, where there are any.
    """
    leaf = _LEAF.search(chain)
    if leaf is None:
        return []
    kinds = list(kinds)
    lines: List[SourceLine] = []
    for file in dict.fromkeys(_files(chain, kinds)):
        lines += _in_file(file, leaf.group(1))
    names = {kind.__name__ for kind in kinds}
    own = [line for line in lines if line.function.split(".")[0] in names]
    return [line._asdict() for line in (own or lines)[:MAX_LINES]]


def _files(chain: str, kinds: Iterable[type]) -> Iterator[str]:
    words = chain.split(".")
    modules = [kind.__module__ for kind in kinds]
    modules += [".".join(words[:end]) for end in range(len(words) - 1, 0, -1)][:3]
    for name in modules:
        module = sys.modules.get(name)
        try:
            file = inspect.getsourcefile(module) if module is not None else None
        except (TypeError, OSError):
            continue
        if file:
            yield file


def _in_file(file: str, leaf: str) -> Iterator[SourceLine]:
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            text = source.read()
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    lines = text.split("\n")
    for node, function in _statements(tree, ""):
        if _adds(node, leaf):
            line = lines[node.lineno - 1].strip() if node.lineno <= len(lines) else ""
            yield SourceLine(file, node.lineno, function, line)


def _statements(node: ast.AST, function: str) -> Iterator[Any]:
    """Each node with the qualified name of the function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _statements(
                child, "%s.%s" % (function, child.name) if function else child.name
            )
        else:
            yield child, function
            yield from _statements(child, function)


def _adds(node: ast.AST, leaf: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _ADDING and _is(node.func.value, leaf)
    if isinstance(node, ast.AugAssign):
        return _is(node.target, leaf)
    if isinstance(node, ast.Assign):
        return any(
            isinstance(target, ast.Subscript) and _is(target.value, leaf) for target in node.targets
        )
    return False


def _is(node: ast.AST, leaf: str) -> bool:
    """Return whether an expression ends in the name, whichever item of it is meant."""
    if isinstance(node, ast.Subscript):
        return _is(node.value, leaf)
    return (isinstance(node, ast.Attribute) and node.attr == leaf) or (
        isinstance(node, ast.Name) and node.id == leaf
    )
