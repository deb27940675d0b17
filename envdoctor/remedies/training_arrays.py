"""Edits with which two values of a training are two arrays."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import CopyReturned
from envdoctor.model.training_aims import CopyBound
from envdoctor.remedies.returning import METHODS, returns_of
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    innermost,
    last_name,
    replaced,
)

#: NumPy's functions that make no copy of an array, and those that do.
COPIES = {"asarray": "array", "asanyarray": "array"}
#: Calls whose result lies in memory that another process may write; methods that make no copy.
VIEWS, SHAPES = ("numpy.frombuffer", "numpy.ndarray"), ("reshape", "view", "ravel", "squeeze")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PASSING = (ast.Return, ast.IfExp, ast.DictComp, ast.ListComp, ast.Dict, ast.Tuple, ast.List)
ONE_VALUE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def copy_bound(aim: CopyBound, source: Source) -> Iterator[Candidate]:
    """Edits of an assignment: np.array() for np.asarray(), else a copy of its value."""
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    if file is None or not isinstance(statement, ast.Assign):
        return
    if any(isinstance(each, ast.Tuple | ast.List) for each in statement.targets):
        return
    functions = [
        node.func
        for node in ast.walk(statement.value)
        if isinstance(node, ast.Call) and last_name(node.func) in COPIES
    ]
    if functions:
        names = ((each, last_name(each)) for each in functions)
        yield replaced(
            file,
            [(each, file.text_of(each).removesuffix(name) + COPIES[name]) for each, name in names],
        )
    elif isinstance(statement.value, ONE_VALUE):
        yield replaced(file, [(statement.value, f"{file.text_of(statement.value)}.copy()")])


def copy_views(aim: CopyReturned, source: Source) -> Iterator[Candidate]:
    """Edits of functions that return a view of shared memory, which nothing writes through: they
    return a copy. Case: `np.frombuffer(memory).reshape(shape)`, of which a vectorizer makes what
    its step() returns.
    """
    owner = source.owner(aim.owner) if aim.owner else None
    steps = [owner.methods[name] for name in METHODS if name in owner.methods] if owner else []
    if not steps or any(_keeps_an_array(each) for each in steps):
        return
    for file in source.files.values():
        functions = [node for node in ast.walk(file.tree) if isinstance(node, FUNCTIONS)]
        views: dict[str, Function] = {}
        for _ in functions:  # a view of a view shows one round later
            more = {each.name: each for each in functions if any(_views(file, each, views))}
            if more.keys() == views.keys():
                break
            views = more
        parts = [
            part
            for function in views.values()
            if _is_only_read(file, function.name)
            for part in _views(file, function, views)
        ]
        yield replaced(file, [(part, f"{file.text_of(part)}.copy()") for part in parts])


def _keeps_an_array(method: Function) -> bool:
    """Return True where the method returns an attribute: that is what has to be copied."""
    values = [node.value for node in returns_of(method)]
    firsts = [
        each.elts[0] if isinstance(each, ast.Tuple) and each.elts else each for each in values
    ]
    return any(isinstance(each, ast.Attribute) for each in firsts)


def _views(file: File, function: Function, known: Collection[str]) -> Iterator[ast.expr]:
    """The parts of what a function returns that are views of memory, or made by one of these."""
    own = {*known} - {function.name}
    for node in returns_of(function):
        value = node.value
        parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        yield from (each for each in parts if each is not None and _is_view(file, each, own))


def _is_view(file: File, value: ast.expr, own: Collection[str]) -> bool:
    """Return True for `np.frombuffer(memory).reshape(shape)`, and for a call of one of these."""
    if not isinstance(value, ast.Call):
        return False
    if last_name(value.func) in own and not value.args:
        return True
    if isinstance(value.func, ast.Attribute) and value.func.attr in SHAPES:
        return _is_view(file, value.func.value, own)
    is_array = file.full_name(value.func) == VIEWS[1]
    has_memory = not is_array or len(value.args) > 2 or argument(value, "buffer") is not None
    return file.full_name(value.func) in VIEWS and has_memory


def _is_only_read(file: File, name: str) -> bool:
    """Return True where each call of a function hands its result on, into what is returned."""
    parents = {child: node for node in ast.walk(file.tree) for child in ast.iter_child_nodes(node)}
    calls = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and last_name(node.func) == name and not node.args
    ]
    return bool(calls) and all(_reaches_return(each, parents) for each in calls)


def _reaches_return(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    while isinstance(parents.get(node), PASSING):
        node = parents[node]
    return isinstance(node, ast.Return)
