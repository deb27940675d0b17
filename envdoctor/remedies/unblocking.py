"""Edits with which an instance leaves modules and classes as they were before it, so that another
one can be made in the same process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from envdoctor.model.environment_aims import BlockingPlace, Unblock
from envdoctor.model.remedy import FIRST, LAST, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.owning import CLASS, DEFAULT, new_default
from envdoctor.remedies.source import Candidate, File, Function, Source, last_name, replaced

#: Methods of containers that do not change them.
READING = frozenset(["copy", "count", "get", "index", "items", "keys", "values"])


def unblock(aim: Unblock, source: Source) -> Iterator[Candidate]:
    """Edits for all places of an aim, where each of them has some."""
    edits = [_edits_for(place, source) for place in aim.places]
    if all(edits):
        yield tuple(dict.fromkeys(edit for some in edits for edit in some))


def _edits_for(place: BlockingPlace, source: Source) -> Candidate:
    if place.kind == DEFAULT:
        return new_default(place.name.partition(" of ")[0], place.line, source)
    return _put_back(place, source) if place.before else _copied(place, source)


def _put_back(place: BlockingPlace, source: Source) -> Candidate:
    """Edits with which close() sets the variable to the value that it had at first."""
    home = source.method("close") or (source.chain[0], None) if source.chain else None
    if home is None:
        return ()
    owner, close = home
    name = place.name.rpartition(".")[2]
    target = _written(place, owner.file)
    if not target:
        return ()
    assign = f"{target} = {place.before}"
    last = Edit(owner.file.path, LAST, (assign,), owner.name, "close")
    inside = list(ast.walk(close)) if close is not None else []
    declared = any(isinstance(node, ast.Global) and name in node.names for node in inside)
    if target != name or declared:
        return (last,)
    return (Edit(owner.file.path, FIRST, (f"global {name}",), owner.name, "close"), last)


def _written(place: BlockingPlace, file: File) -> str:
    """The variable as code of a file writes it; empty where that does not have its owner."""
    owner, _, name = place.name.rpartition(".")
    module, _, last = owner.rpartition(".")
    if place.kind == CLASS:
        is_known = last in file.classes or file.imported.get(last) == f"{module}.{last}"
        return f"{last}.{name}" if is_known else ""
    if PurePath(file.path).stem == last:
        return name
    names = (local for local, full in file.imported.items() if full == owner)
    alias = next(names, "")
    return f"{alias}.{name}" if alias else ""


def _copied(place: BlockingPlace, source: Source) -> Candidate:
    """Edits with which functions copy what they take out of a container; none where they change
    the container itself: that may be meant for other instances.
    """
    edits: list[Edit] = []
    for file in {owner.file.path: owner.file for owner in source.chain}.values():
        written = _written(place, file)
        uses = list(_uses(written, _functions(file, source))) if written else []
        if None in uses:
            return ()
        texts = [(node, f"copy.deepcopy({file.text_of(node)})") for node in uses if node]
        edits += [*replaced(file, texts), *needed(file, [text for _, text in texts])]
    return tuple(edits)


def _functions(file: File, source: Source) -> list[Function]:
    """The functions of a file that an instance may call: its methods, and those of the module."""
    own = [owner for owner in source.chain if owner.file.path == file.path]
    methods = [method for owner in own for method in owner.methods.values()]
    return methods + [node for node in file.tree.body if isinstance(node, ast.FunctionDef)]


def _uses(written: str, functions: Iterable[Function]) -> Iterator[ast.expr | None]:
    """The expressions of functions that take something out of a variable, and None for one that
    changes the variable.
    """
    functions = list(functions)
    parents = {
        child: node
        for function in functions
        for node in ast.walk(function)
        for child in ast.iter_child_nodes(node)
    }
    for node in dict.fromkeys(each for function in functions for each in ast.walk(function)):
        if _means(node, written):
            assert isinstance(node, ast.expr)
            yield from _copied_part(node, parents)


def _means(node: ast.AST, written: str) -> bool:
    owner, _, name = written.rpartition(".")
    if isinstance(node, ast.Name):
        return not owner and node.id == name
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    return bool(owner) and last_name(node.value) in (owner, "self", "cls")


def _copied_part(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.expr | None]:
    parent = parents.get(node)
    if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield None
    elif isinstance(parent, ast.Attribute):
        call = parents.get(parent)
        if parent.attr not in READING:
            yield None
        elif parent.attr == "get" and isinstance(call, ast.Call):
            yield call
    elif isinstance(parent, ast.Subscript) and parent.value is node:
        outermost = parent
        while isinstance(outer := parents.get(outermost), ast.Subscript):
            if outer.value is not outermost:
                break
            outermost = outer
        yield outermost if isinstance(outermost.ctx, ast.Load) else None
    elif isinstance(parent, ast.Assign | ast.Return | ast.Call | ast.keyword):
        yield node
