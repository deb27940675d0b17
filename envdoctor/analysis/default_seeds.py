"""Calls that leave a parameter out, and the line of a class that makes a random generator."""

from __future__ import annotations

import ast

from envdoctor.discovery.syntax import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef
GENERATORS = ("default_rng", "Generator", "PCG64", "Philox", "SFC64", "MT19937", "SeedSequence")


def leaves_out(text: str, line: int, owner: str, name: str, place: int) -> bool:
    """Return whether all calls of a function or class at a line leave out a parameter, which is the
    one of that `place` where it has no name there.
    """
    calls = [
        node
        for node in ast.walk(parsed(text))
        if isinstance(node, ast.Call)
        and node.lineno <= line <= (node.end_lineno or 0)
        and ast.unparse(node.func).rpartition(".")[2] == owner
    ]
    return bool(calls) and not any(_gives(call, name, place) for call in calls)


def _gives(call: ast.Call, name: str, place: int) -> bool:
    """Return whether a call may give a parameter."""
    is_starred = any(isinstance(each, ast.Starred) for each in call.args)
    names = {each.arg for each in call.keywords}
    return is_starred or len(call.args) > place or name in names or None in names


def line_that_seeds(text: str, name: str) -> int | None:
    """The first line of a class that makes a generator of numpy's; None where it has none."""
    kinds = (node for node in ast.walk(parsed(text)) if isinstance(node, ast.ClassDef))
    lines = [
        node.lineno
        for kind in kinds
        if kind.name == name
        for node in ast.walk(kind)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in GENERATORS
    ]
    return min(lines, default=None)
