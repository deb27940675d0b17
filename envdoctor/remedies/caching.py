"""Edits for what keeps every instance behind its back: `atexit`, and a cache of a method's results,
which has the instance among the arguments; and for a cache that has no bound.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import Clear, Forget
from envdoctor.model.failure_aims import BoundCache
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
    replaced,
)

CACHE, BOUNDED = "functools.cache", "functools.lru_cache"
CACHES = (BOUNDED, CACHE)
ENTRIES = 1024  # of a cache that has a bound


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


def bound_cache(aim: BoundCache | Clear, source: Source) -> Iterator[Candidate]:
    """`@functools.lru_cache(maxsize=1024)` for `@functools.cache`, and for a cache whose `maxsize`
    is None, of the one function of this name that has such a one.
    """
    decorators = [
        (file, decorator)
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.FunctionDef) and node.name == _last_part(aim.chain)
        for decorator in node.decorator_list
        if _is_unbounded(file, decorator)
    ]
    for file, decorator in decorators if len(decorators) == 1 else ():
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        has_name = file.full_name(called) == BOUNDED
        text = f"{file.text_of(called) if has_name else BOUNDED}(maxsize={ENTRIES})"
        yield (*replaced(file, [(decorator, text)]), *needed(file, (text,)))


def _is_unbounded(file: File, decorator: ast.expr) -> bool:
    """Return True for a cache that keeps all; typed results, which are others, are left."""
    if not isinstance(decorator, ast.Call):
        return file.full_name(decorator) == CACHE
    size = argument(decorator, "maxsize", 0)
    is_all = isinstance(size, ast.Constant) and size.value is None
    is_typed = argument(decorator, "typed", 1) is not None
    return file.full_name(decorator.func) == BOUNDED and is_all and not is_typed
