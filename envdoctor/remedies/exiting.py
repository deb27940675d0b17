"""Edits with which an object is closed before modules are taken apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import LAST, MEMBER, CloseAtExit, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import CONSTRUCTOR, Function, OwningClass, Source, own_attribute

Candidate = tuple[Edit, ...]
FINALIZER = "__del__"


def close_at_exit(aim: CloseAtExit, source: Source) -> Iterator[Candidate]:
    """Edits that call at exit the one method that a finalizer calls. None where the finalizer does
    something else as well.
    """
    for frame in aim.places:
        around = source.around(frame)
        owner = around[0] if around else None
        method = _only_call(owner.methods.get(FINALIZER)) if owner else ""
        if owner is None or method not in owner.methods or CONSTRUCTOR not in owner.methods:
            continue
        yield _at_exit(owner, method)
        return


def _only_call(finalizer: Function | None) -> str:
    """`close` of a finalizer that calls `self.close()` and does nothing else."""
    body = finalizer.body if finalizer else []
    statement = body[0] if len(body) == 1 else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        is_plain = not statement.value.args and not statement.value.keywords
        return own_attribute(statement.value.func) if is_plain else ""
    return ""


def _at_exit(owner: OwningClass, method: str) -> Candidate:
    name = f"_{method}_at_exit"
    member = (
        "@staticmethod",
        f"def {name}(reference):",
        '    """Close what is still there when Python exits, while its modules are whole."""',
        f"    {method} = reference()",
        f"    if {method} is not None:",
        f"        {method}()",
    )
    line = f"weakref.finalize(self, self.{name}, weakref.WeakMethod(self.{method}))"
    path = owner.file.path
    return (
        Edit(path, LAST, (line,), owner.name, CONSTRUCTOR),
        Edit(path, MEMBER, member, owner.name),
        *needed(owner.file, (line,)),
    )
