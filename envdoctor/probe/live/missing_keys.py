"""The call of an environment that returned the dict in which a key is missing. No code of the
user's runs for it.
"""

from __future__ import annotations

import ast
import dis
import os
from types import CodeType, FrameType
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from envdoctor.probe import loaded

KEY = "key"
CALLS = ("reset", "step", "step_wait", "last", "recv")
LARGEST = 1 << 20  # bytes of a file that is read
MOST_KEYS, LONGEST = 3, 40
Entry = Tuple[FrameType, int]
Assigned = Tuple[str, ast.expr, int]  # a method, what it is called of, and the line


def returned_without(error: KeyError, entries: Iterable[Entry]) -> Dict[str, object]:
    """The methods that returned the dict, their object's class, its first keys and how many more it
    has, and the line of the first of these calls; empty where no environment's call returned it.
    """
    frames = list(entries)
    if len(error.args) != 1 or not frames:
        return {}
    asked = asked_without(error, frames)
    if asked is None:
        return {}
    root, values = asked
    for outer, _ in reversed(frames):
        names = [name for name, value in outer.f_locals.items() if value is root]
        calls = [each for each in assigned(outer.f_code, names) if each[0] in CALLS]
        if calls:
            return _described(outer, calls, values)
    return {}


def asked_without(
    error: KeyError, frames: List[Entry]
) -> Optional[Tuple[object, Dict[object, object]]]:
    """The object of the name at the line that raised, and the dict in it that has not the key."""
    frame, line = frames[-1]
    tree = _tree(frame.f_code)
    return _subscripted(tree, frame, line, error.args[0]) if tree is not None else None


def _described(
    frame: FrameType, calls: List[Assigned], values: Dict[object, object]
) -> Dict[str, object]:
    methods = "/".join(dict.fromkeys(method for method, _, _ in calls))
    owner = value_of(calls[0][1], frame)
    if owner is None:
        return {}
    keys = [repr(key)[:LONGEST] for key in list(values)[:MOST_KEYS]]
    names = [methods, type(owner).__name__, str(len(values)), *keys]
    code = frame.f_code
    place = (os.path.abspath(code.co_filename), calls[0][2], code.co_name)
    return {"kind": KEY, "names": names, "frame": dict(zip(("file", "line", "function"), place))}


def _tree(code: CodeType) -> Optional[ast.Module]:
    """The syntax of the file of some code, where it can be read."""
    try:
        if os.path.getsize(code.co_filename) > LARGEST:
            return None
        with open(code.co_filename, encoding="utf-8") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return None


def _subscripted(
    tree: ast.Module, frame: FrameType, line: int, key: object
) -> Optional[Tuple[object, Dict[object, object]]]:
    """The object of a name at a line, and the dict in it that is asked for a key it has not; None
    where several are, or where that is not known.
    """
    dicts: List[Tuple[object, Dict[object, object]]] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript) or node.lineno != line:
            continue
        values, root = value_of(node.value, frame), value_of(_root(node.value), frame)
        if not isinstance(values, dict) or _differs(value_of(index_of(node), frame), key):
            continue
        if not any(key is each or key == each for each in values):
            dicts.append((root, values))
    return dicts[0] if len({id(values) for _, values in dicts}) == 1 else None


def _differs(value: object, key: object) -> bool:
    """Return whether a part of a line stands for another key: keys of simple types are compared."""
    return type(value) is not type(key) or (type(key) in (str, int) and value != key)


def index_of(node: ast.Subscript) -> ast.expr:
    """The index of a subscript, which Python 3.8 has in a node of its own."""
    index: ast.expr = node.slice
    return getattr(index, "value", index) if type(index).__name__ == "Index" else index


def _root(node: ast.expr) -> ast.expr:
    """The name, or the attribute, in which what is subscripted lies."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def value_of(node: ast.expr, frame: FrameType) -> object:
    """The object of a name, an attribute, or a part of a list or a dict; None of anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        return loaded.attributes(value_of(node.value, frame)).get(node.attr)
    if isinstance(node, ast.Subscript):
        values, index = value_of(node.value, frame), value_of(index_of(node), frame)
        if isinstance(values, (list, tuple)) and isinstance(index, int) and index >= 0:
            return next(iter(values[index : index + 1]), None)
        if isinstance(values, dict) and isinstance(index, (str, int)):
            return values.get(index)
    return None


def assigned(code: CodeType, names: List[str]) -> Iterator[Assigned]:
    """The methods whose results some code assigns to one of these names, what they are called of,
    and the line; an empty name of anything else than a call of a method or another of the names.
    """
    lines = [line for _, line in dis.findlinestarts(code) if line is not None]
    tree = _tree(code) if names and lines else None
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Assign) or node.lineno not in lines:
            continue
        for target in node.targets:
            for name, value in _pairs(target, node.value):
                call = value.func if isinstance(value, ast.Call) else None
                if name in names and isinstance(call, ast.Attribute):
                    yield call.attr, call.value, node.lineno
                elif name in names and not (isinstance(value, ast.Name) and value.id in names):
                    yield "", value, node.lineno


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[Tuple[str, ast.expr]]:
    """Each name of a target, and what it is assigned, or a part of."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else ()
        same = len(parts) == len(target.elts)
        for number, each in enumerate(target.elts):
            yield from _pairs(each, parts[number] if same else value)
