"""Edits for what keeps every instance behind its back: `atexit`, and a cache of a method's results,
which has the instance among the arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import Forget
from envdoctor.model.kept_chains import BY_AT_EXIT, BY_CACHE
from envdoctor.model.remedy import BEFORE, FIRST, INSTEAD, LAST, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
)

CACHES = ("functools.lru_cache", "functools.cache")


def take_back(aim: Forget, source: Source) -> Iterator[Candidate]:
    """Edits with which close() takes back what the instance registered with atexit: a method of
    its own.
    """
    match = BY_AT_EXIT.fullmatch(aim.chain)
    name = _last_part(match[1]) if match and match[2] == ".__self__" else ""
    if not source.chain or source.method(name) is None:
        return
    owner, lines = source.chain[0], (f"atexit.unregister(self.{name})",)
    yield (Edit(owner.file.path, FIRST, lines, owner.name, "close"), *needed(owner.file, lines))


def own_cache(aim: Forget, source: Source) -> Iterator[Candidate]:
    """Edits with which a cache does not keep the instance: the method does without, where it uses
    nothing of it; else each instance has a cache of its own, until it is closed.
    """
    match = BY_CACHE.fullmatch(aim.chain)
    definition = source.method(_last_part(match[1])) if match else None
    decorator = definition and _cache_of(*definition)
    if not definition or decorator is None:
        return
    owner, method = definition
    yield from _static(owner.file, method, decorator)
    yield from _in_instance(owner, method, decorator)


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]


def _cache_of(owner: OwningClass, method: Function) -> ast.expr | None:
    """The decorator that caches, where it is the only one."""
    if len(method.decorator_list) != 1:
        return None
    (decorator,) = method.decorator_list
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return decorator if owner.file.full_name(called) in CACHES else None


def _static(file: File, method: Function, decorator: ast.expr) -> Iterator[Candidate]:
    first = method.args.args[0].arg if method.args.args else ""
    names = {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}
    if not first or {first, "super"} & names:
        return
    line = method.lineno
    header = file.lines[line - 1]
    without = re.sub(rf"\(\s*{first}\s*(,\s*|(?=\)))", "(", header, count=1)
    if without != header:
        above = Edit(file.path, BEFORE, ("@staticmethod",), line=decorator.lineno)
        yield above, Edit(file.path, INSTEAD, (without.strip(),), line=line, end=line)


def _in_instance(owner: OwningClass, method: Function, decorator: ast.expr) -> Iterator[Candidate]:
    file, name = owner.file, method.name
    made = f"self.{name} = {file.text_of(decorator)}(self.{name})"
    yield (
        Edit(file.path, INSTEAD, (), line=decorator.lineno, end=decorator.end_lineno or 0),
        Edit(file.path, LAST, (made,), owner.name, CONSTRUCTOR),
        Edit(file.path, LAST, (f"self.{name} = None",), owner.name, "close"),
    )
