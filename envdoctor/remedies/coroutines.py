"""Edits that run a coroutine to its end, end a task before its loop is closed, and close a client
in the loop that it was made in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from envdoctor.model.environment_aims import AwaitCall, EndTask
from envdoctor.model.remedy import FIRST, INSTEAD, Edit
from envdoctor.model.training_aims import EndOnce, EnterContext
from envdoctor.remedies.applying import STEP
from envdoctor.remedies.needing import needed
from envdoctor.remedies.releasing import guarded
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    blocks,
    called,
    instead,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
    replaced,
    stored_in,
    takes,
    uses,
)
from envdoctor.remedies.training import can_be_indented, is_left, with_finally

CLOSING = ("aclose", "close", "__aenter__")


def await_call(aim: AwaitCall, source: Source) -> Iterator[Candidate]:
    """Edits with which an ordinary method runs the coroutine that it only makes: on the loop of the
    instance, where it has one.
    """
    around, statement = source.around(aim.place), source.statement_at(aim.place)
    if around is None or not isinstance(statement, ast.Expr):
        return
    owner, method = around
    if not isinstance(statement.value, ast.Call):
        return
    text = owner.file.text_of(statement.value)
    if isinstance(method, ast.AsyncFunctionDef):
        yield replaced(owner.file, [(statement.value, f"await {text}")])
        return
    runs = [f"self.{loop}.run_until_complete({text})" for loop in _loops(source, owner)]
    for run in runs or [f"asyncio.run({text})"]:
        edits = replaced(owner.file, [(statement.value, run)])
        yield (*edits, *needed(owner.file, [run])) if edits else ()


def _loops(source: Source, owner: OwningClass) -> list[str]:
    """The attributes that hold a loop of the instance's own."""
    holders = source.chain if owner.name in {each.name for each in source.chain} else (owner,)
    return list(
        dict.fromkeys(
            own_attribute(target)
            for each in holders
            for node in ast.walk(each.node)
            for target, value in assignments(node)
            if own_attribute(target) and called(value) == "new_event_loop"
        )
    )


def end_task(aim: EndTask, source: Source) -> Iterator[Candidate]:
    """Edits with which close() cancels a task, and lets the loop of the instance run until it has
    ended.
    """
    around, statement = source.around(aim.place), source.statement_at(aim.place)
    if around is None or not isinstance(statement, ast.Assign):
        return
    owner, (target, *others) = around[0], statement.targets
    name, made = own_attribute(target), statement.value
    if not name or others or called(made) != "create_task" or not isinstance(made, ast.Call):
        return
    loop = own_attribute(made.func.value) if isinstance(made.func, ast.Attribute) else ""
    if not loop or owner.name not in {each.name for each in source.chain}:
        return
    lines = (
        f"self.{name}.cancel()",
        f"self.{loop}.run_until_complete(asyncio.wait([self.{name}]))",
    )
    block = guarded(source, (name,), lines, forget=True)
    yield (Edit(owner.file.path, FIRST, block, owner.name, "close"), *needed(owner.file, lines))


def enter_context(aim: EnterContext, source: Source) -> Iterator[Candidate]:
    """`async with Client() as client:` around the rest of its block, wherever a coroutine makes one
    and closes none.
    """
    made = [
        (file, function, block, at)
        for file in source.files.values()
        for function in ast.walk(file.tree)
        if isinstance(function, ast.AsyncFunctionDef)
        for block in blocks(function)
        for at, node in enumerate(block)
        if name_of_made(node) and isinstance(node, ast.Assign) and called(node.value) == aim.name
    ]
    entered = [_entered(*each) for each in made]
    if entered and all(entered):
        yield tuple(edit for edits in entered for edit in edits)


def _entered(file: File, function: Function, block: list[ast.stmt], at: int) -> Candidate:
    made, rest, name = block[at], block[at + 1 :], name_of_made(block[at])
    ends = any(
        isinstance(node, ast.Attribute) and node.attr in CLOSING and ast.unparse(node.value) == name
        for each in rest
        for node in ast.walk(each)
    )
    if ends or not rest or is_left(function, block, rest, name) or not can_be_indented(file, rest):
        return ()
    assert isinstance(made, ast.Assign)
    if made.lineno != made.end_lineno:
        return ()
    end, column = rest[-1].end_lineno or rest[-1].lineno, rest[0].col_offset
    lines = (f"{STEP}{line[column:]}" for line in file.lines[rest[0].lineno - 1 : end])
    head = f"async with {file.text_of(made.value)} as {name}:"
    return (Edit(file.path, INSTEAD, (head, *lines), line=made.lineno, end=end),)


def close_in_loop(file: File, aim: EndOnce) -> Candidate:
    """`finally: await client.close()` in the coroutine that a script runs, in place of a handler of
    atexit that runs it in another event loop.
    """
    handlers = [each for each in file.tree.body if getattr(each, "name", "") == aim.name]
    handler = handlers[0] if len(handlers) == 1 else None
    if not isinstance(handler, ast.FunctionDef) or uses(file.tree, aim.name) != 1:
        return ()
    awaited = _run_by(file, handler.body[0]) if len(handler.body) == 1 else None
    registers = [n for n in ast.walk(file.tree) if _registers(file, n, aim.name)]
    runs = [
        call
        for node in ast.walk(file.tree)
        if isinstance(node, ast.stmt) and node not in handler.body
        for call in filter(None, (_run_by(file, node),))
    ]
    main = next((n for n in file.tree.body if len(runs) == 1 and _is_run(n, runs[0])), None)
    if awaited is None or len(registers) != 1 or not isinstance(main, ast.AsyncFunctionDef):
        return ()
    held = [each for each in names_in(awaited) if each not in file.imported]
    if len(held) != 1 or takes(main, held[0]) or held[0] in stored_in(main):
        return ()
    text = f"await {file.text_of(awaited)}"
    is_none = f"{held[0]} = None" in map(ast.unparse, file.tree.body)
    ending = (f"if {held[0]} is not None:", f"{STEP}{text}") if is_none else (text,)
    moved = with_finally(file, main.body, main.body, ending)
    imports = [n for n in file.tree.body if ast.unparse(n) == "import atexit"]
    gone = (*(imports if uses(file.tree, "atexit") == 1 else ()), registers[0])
    after = (handler.end_lineno or handler.lineno) + 1
    while after <= len(file.lines) and not file.lines[after - 1].strip():
        after += 1
    dropped = Edit(file.path, INSTEAD, (), line=handler.lineno, end=after - 1)
    return (*(instead(file, each, ()) for each in gone), dropped, *moved) if moved else ()


def _run_by(file: File, node: ast.stmt) -> ast.Call | None:
    """`client.close()` of the statement `asyncio.run(client.close())`."""
    value = node.value if isinstance(node, ast.Expr | ast.Assign | ast.Return) else None
    if not isinstance(value, ast.Call) or file.full_name(value.func) != "asyncio.run":
        return None
    return value.args[0] if value.args and isinstance(value.args[0], ast.Call) else None


def _is_run(node: ast.stmt, call: ast.Call) -> bool:
    return getattr(node, "name", "") == last_name(call.func) and isinstance(call.func, ast.Name)


def _registers(file: File, node: ast.AST, name: str) -> TypeGuard[ast.Expr]:
    """Return True for the statement `atexit.register(name)`."""
    value = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(value, ast.Call) or file.full_name(value.func) != "atexit.register":
        return False
    return [last_name(each) for each in value.args] == [name] and not value.keywords
