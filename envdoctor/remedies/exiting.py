"""Edits with which an object is closed before modules are taken apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import CloseAtExit
from envdoctor.model.remedy import FIRST, LAST, MEMBER, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    Function,
    OwningClass,
    Source,
    own_attribute,
)

FINALIZER = "__del__"
ONCE = ('if getattr(self, "_is_finished", False):', "    return", "self._is_finished = True")


def close_at_exit(aim: CloseAtExit, source: Source) -> Iterator[Candidate]:
    """Edits that call at exit the one method that a finalizer calls; where it does something else,
    the finalizer itself, which then does so once.
    """
    for frame in aim.places:
        around = source.around(frame)
        owner = around[0] if around else None
        if owner is None or FINALIZER not in owner.methods:
            continue
        method = _only_call(owner.methods[FINALIZER])
        if method in owner.methods and CONSTRUCTOR in owner.methods:
            yield _at_exit(owner, method, f"_{method}_at_exit")
        elif not method:
            once = Edit(owner.file.path, FIRST, ONCE, owner.name, FINALIZER)
            yield (*_at_exit(owner, FINALIZER, "_finish_at_exit"), once)
        return


def _only_call(finalizer: Function) -> str:
    """`close` of a finalizer that calls `self.close()` and does nothing else."""
    statement = finalizer.body[0] if len(finalizer.body) == 1 else None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        is_plain = not statement.value.args and not statement.value.keywords
        return own_attribute(statement.value.func) if is_plain else ""
    return ""


def _at_exit(owner: OwningClass, method: str, name: str) -> Candidate:
    member = (
        "@staticmethod",
        f"def {name}(reference):",
        '    """Close what is still there when Python exits, while its modules are whole."""',
        "    closing = reference()",
        "    if closing is not None:",
        "        closing()",
    )
    line = f"weakref.finalize(self, self.{name}, weakref.WeakMethod(self.{method}))"
    path = owner.file.path
    return (
        Edit(path, LAST, (line,), owner.name, CONSTRUCTOR),
        Edit(path, MEMBER, member, owner.name),
        *needed(owner.file, (line,)),
    )
