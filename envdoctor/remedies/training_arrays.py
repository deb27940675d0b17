"""Edits with which two values of a training are two arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.training_aims import CopyBound
from envdoctor.remedies.source import Candidate, Source, innermost, last_name, replaced

#: NumPy's functions that make no copy of an array, and those that do.
COPIES = {"asarray": "array", "asanyarray": "array"}
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
