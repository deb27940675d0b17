"""Check by reading whether a function trains: it calls learn() or backward(), or returns nothing,
so that no environment can come of it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from typing import Iterator, Optional

#: Methods that only training calls: Stable-Baselines3's learn(), a tensor's backward().
TRAINS = ("learn", "backward")


def why_no_factory(target: object, spec: str) -> str:
    """The sentence on a function that builds no environment, or nothing where it may build one."""
    tree = _tree_of(target)
    if tree is None:
        return ""
    trains = next((name for name in _calls(tree) if name in TRAINS), "")
    returns = any(_hands_over(node) for node in _own_nodes(tree))
    raises = isinstance(tree.body[-1], ast.Raise)  # it fails, and how is for a rule to say
    if not trains and (returns or raises):
        return ""
    what = (
        "trains: it calls %s()" % trains if trains else "builds no environment: it returns nothing"
    )
    return (
        "%s %s; `envdoctor leak %s --callable` calls it again and again, and tells what grows"
        % (spec, what, spec)
    )


def _tree_of(target: object) -> Optional[ast.FunctionDef]:
    if not isinstance(target, types.FunctionType):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(target))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, IndexError, RecursionError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) and not tree.decorator_list else None


def _hands_over(node: ast.AST) -> bool:
    return (isinstance(node, ast.Return) and node.value is not None) or isinstance(
        node, (ast.Yield, ast.YieldFrom)
    )


def _calls(tree: ast.FunctionDef) -> Iterator[str]:
    """The methods that it calls."""
    for node in _own_nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr


def _own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Its nodes, without those of functions and classes that are defined in it."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield child
            yield from _own_nodes(child)
