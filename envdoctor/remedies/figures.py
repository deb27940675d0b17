"""Edits with which the figures of pyplot are closed, which keeps each of them until then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import CallInClose
from envdoctor.model.remedy import BEFORE, FIRST, LAST, Edit
from envdoctor.remedies.needing import bound_names
from envdoctor.remedies.source import (
    Candidate,
    Function,
    OwningClass,
    Source,
    assignments,
    own_attribute,
)

PYPLOT = "matplotlib.pyplot"
MAKES = frozenset(f"{PYPLOT}.{name}" for name in ("figure", "subplots", "subplot_mosaic"))


def close_figures(aim: CallInClose, source: Source) -> Iterator[Candidate]:
    """Edits that close a figure in close() where the instance has it, and at the end of the method
    that makes it where nothing else has it.
    """
    if not any(statement.startswith("plt.") for statement in aim.statements):
        return
    edits = [
        edit
        for owner in source.chain
        for method in owner.methods.values()
        for target, value in _made(owner, method)
        for edit in _closing(source, owner, method, target, value)
    ]
    if edits:
        yield tuple(dict.fromkeys(edits))


def _made(owner: OwningClass, method: Function) -> Iterator[tuple[ast.expr, ast.Call]]:
    """(target, call) of each figure that a method makes."""
    for node in ast.walk(method):
        for target, value in assignments(node):
            if isinstance(value, ast.Call) and owner.file.full_name(value.func) in MAKES:
                first = target.elts[0] if isinstance(target, ast.Tuple) else target
                yield first, value


def _closing(
    source: Source, owner: OwningClass, method: Function, target: ast.expr, value: ast.Call
) -> Iterator[Edit]:
    assert isinstance(value.func, ast.Attribute)
    pyplot = ast.unparse(value.func.value)
    name = own_attribute(target)
    if name:
        needed = () if pyplot in bound_names(owner.file) else (f"import {PYPLOT} as {pyplot}",)
        lines = (f"if {source.held(name)} is not None:", f"    {pyplot}.close(self.{name})")
        forgotten = (f"    self.{name} = None",) if method.name != "__init__" else ()
        yield Edit(owner.file.path, FIRST, (*needed, *lines, *forgotten), owner.name, "close")
    elif isinstance(target, ast.Name):
        yield from _at_the_ends(owner, method, value, f"{pyplot}.close({target.id})")


def _at_the_ends(owner: OwningClass, method: Function, made: ast.Call, line: str) -> Iterator[Edit]:
    """The line in front of each return after the figure was made, and at the end of the method."""
    returns = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Return) and node.lineno > made.lineno
    ]
    for node in returns:
        yield Edit(owner.file.path, BEFORE, (line,), owner.name, line=node.lineno)
    if not isinstance(method.body[-1], ast.Return):
        yield Edit(owner.file.path, LAST, (line,), owner.name, method.name)
