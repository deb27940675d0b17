"""Edits that run a coroutine to its end, end a task before its loop is closed, and close a client
in the loop that it was made in.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import AwaitCall, EndTask
from envdoctor.model.remedy import FIRST, INSTEAD, Edit
from envdoctor.model.training_aims import EnterContext
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
    name_of_made,
    own_attribute,
    replaced,
)
from envdoctor.remedies.training import can_be_indented, is_left

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
