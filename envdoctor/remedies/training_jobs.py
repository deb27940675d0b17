"""Edits of a script that gives up the result of a pool: the pool ends with what it computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.model.training_aims import EndGivenUp
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    assignments,
    block_of,
    called,
    function_at,
    instead,
    last_name,
    names_in,
    names_of_module,
    own_attribute,
)

POOLS = ("multiprocessing.Pool", "multiprocessing.pool.Pool")
SUBMITS = (
    *("apply_async", "map_async", "starmap_async"),
    *("imap", "imap_unordered", "map", "starmap", "apply"),
)
LATE, GET, END = "TimeoutError", "get", "terminate"
Scope = ast.ClassDef | Function


def end_given_up(aim: EndGivenUp, source: Source) -> Iterator[Candidate]:
    """Edits of what catches that a result did not come in time: it ends the pool, and makes it
    anew. None where the pool may have other jobs then, or where something else has the pool.
    """
    file = source.files.get(aim.place.file)
    caught = _waiting(file, aim.place.line) if file else None
    if file is None or caught is None:
        return
    function, attempt, handler = caught
    pool = _pool_of(file, function, attempt)
    scope = _home(file, function, pool) if pool else None
    made = _made(file, scope, pool) if scope is not None else None
    if made is None or scope is None or _jobs(scope, pool) != 1:
        return
    if any(called(node) == END for each in handler.body for node in ast.walk(each)):
        return
    lines = (f"{pool}.{END}()", f"{pool}.join()", f"{pool} = {file.text_of(made)}")
    first = handler.body[0]
    if isinstance(first, ast.Pass):
        yield (instead(file, first, lines),)
    elif first.lineno > handler.lineno:
        yield (Edit(file.path, BEFORE, lines, line=first.lineno),)


def _waiting(file: File, line: int) -> tuple[Function, ast.Try, ast.ExceptHandler] | None:
    """The function around the line that gets a result, the `try` there, and what it does where the
    result is late.
    """
    function = function_at(file, line)
    attempts = [node for node in ast.walk(function or ast.Pass()) if isinstance(node, ast.Try)]
    for attempt in attempts:
        first, is_alone = attempt.body[0], len(attempt.body) == 1 and not attempt.orelse
        handlers = [each for each in attempt.handlers if last_name(each.type) == LATE]
        is_around = first.lineno <= line <= (first.end_lineno or line)
        if function is not None and is_alone and is_around and len(handlers) == 1:
            return function, attempt, handlers[0]
    return None


def _pool_of(file: File, function: Function, attempt: ast.Try) -> str:
    """`self.pool` of `self.pool.apply_async(...).get(timeout=5)`, and of a result that a line in
    the same block, above the `try`, has a name for.
    """
    gets = [
        node.func.value
        for node in ast.walk(attempt.body[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr == GET
    ]
    asked: ast.expr | None = gets[0] if len(gets) == 1 else None
    if isinstance(asked, ast.Name):
        block = block_of(attempt, function)
        above = [
            value
            for each in block[: block.index(attempt)]
            for target, value in assignments(each)
            if last_name(target) == asked.id
        ]
        asked = above[-1] if above else None
    is_job = isinstance(asked, ast.Call) and called(asked) == SUBMITS[0]
    function_called = asked.func if is_job and isinstance(asked, ast.Call) else None
    pool = function_called.value if isinstance(function_called, ast.Attribute) else None
    is_plain = isinstance(pool, ast.Name) or bool(own_attribute(pool))
    return file.text_of(pool) if pool is not None and is_plain else ""


def _home(file: File, function: Function, pool: str) -> Scope | None:
    """The class whose attribute the pool is, or the function whose variable."""
    if not pool.startswith("self."):
        return function
    return next((each for each in file.classes.values() if function in each.body), None)


def _made(file: File, scope: Scope | None, pool: str) -> ast.expr | None:
    """The expression that makes the pool each time, and can make it again anywhere in the scope."""
    values = [
        value
        for node in ast.walk(scope or ast.Pass())
        for target, value in assignments(node)
        if ast.unparse(target) == pool
    ]
    made = values[0] if len(set(map(ast.unparse, values))) == 1 else None
    if not isinstance(made, ast.Call) or file.full_name(made.func) not in POOLS:
        return None
    known = names_of_module(file) | ({"self"} if isinstance(scope, ast.ClassDef) else set())
    if isinstance(scope, ast.ClassDef) and not set(names_in(made)) <= known:
        return None
    is_one_line = made.lineno == made.end_lineno
    return made if is_one_line and not _is_handed_on(scope, pool) else None


def _is_handed_on(scope: Scope | None, pool: str) -> bool:
    """Return True where the pool itself is an argument, a value, or returned: another name of it
    would keep the one that is ended.
    """
    nodes = list(ast.walk(scope or ast.Pass()))
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    uses = (
        node
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        if ast.unparse(node) == pool
    )
    return any(id(node) not in owners for node in uses)


def _jobs(scope: Scope, pool: str) -> int:
    """The number of lines that give the pool something to do."""
    return sum(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in SUBMITS
        and ast.unparse(node.func.value) == pool
        for node in ast.walk(scope)
    )
