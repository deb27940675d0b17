"""Edits of a line that raised, where the error and the line leave one cure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import Mend
from envdoctor.model.failure_aims import ShareOut
from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.reopening import own_frame
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    innermost,
    instead,
    last_name,
    names_in,
    own_attribute,
    removed,
    replaced,
)

INDEX = "IndexError"
GONE = "ProcessLookupError"
SIGNALLING = ("os.kill", "os.killpg")
RESET, STEP = "reset", "step"
FLAGS = ("terminated", "truncated")


def mend(aim: Mend, source: Source) -> Iterator[Candidate]:
    """Edits for a signal to a process that is gone, for an index beyond a list, for a part that
    each episode ends and only the constructor begins, and for a reset() of a wrapper that steps,
    and does not look whether that has ended the episode.
    """
    if aim.error.type.rpartition(".")[2] == GONE:
        yield _suppressed(aim, source)
        return
    if aim.error.type.rpartition(".")[2] == INDEX:
        places = [each for each in aim.error.frames if each.file in source.files]
        yield from (wrapped_index(source.files[each.file], each.line) for each in places[-1:])
    yield from _begun_in_reset(aim, source)
    for file in source.files.values():
        for node in file.classes.values():
            owner = OwningClass(file, node)
            if source.is_environment(owner):
                yield from _reset_again(owner)


def wrapped_index(file: File, line: int) -> Candidate:
    """`self.bricks.pop(place % len(self.bricks))` for `% 6`: a list that has had six elements."""
    texts: list[tuple[ast.expr, str]] = []
    for node in ast.walk(innermost(file, line) or ast.Pass()):
        index: ast.expr | None = None
        if isinstance(node, ast.Subscript):
            index, container = node.slice, node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_pop = node.func.attr == "pop" and len(node.args) == 1
            index, container = node.args[0] if is_pop else None, node.func.value
        if not isinstance(index, ast.BinOp) or not isinstance(index.op, ast.Mod):
            continue
        if isinstance(index.right, ast.Constant) and isinstance(index.right.value, int):
            texts.append((index.right, f"len({file.text_of(container)})"))
    return replaced(file, texts) if len(texts) == 1 else ()


def share_out(aim: ShareOut, source: Source) -> Iterator[Candidate]:
    """`MAPS[rank() % len(MAPS)]` for `MAPS[rank()]`: a list of the module with fewer elements than
    there are workers.
    """
    frame = own_frame(aim.error, source)
    statement = source.statement_at(frame) if frame else None
    if frame is None or statement is None or aim.error.type.rpartition(".")[2] != INDEX:
        return
    file = source.files[frame.file]
    tables = {
        last_name(target)
        for node in file.tree.body
        for target, value in assignments(node)
        if isinstance(value, ast.List | ast.Tuple) and value.elts
    }
    texts: list[tuple[ast.expr, str]] = []
    for node in ast.walk(statement):
        if not isinstance(node, ast.Subscript) or last_name(node.value) not in tables:
            continue
        if isinstance(node.slice, ast.Call | ast.Name | ast.Attribute):
            index, table = map(file.text_of, (node.slice, node.value))
            texts.append((node.slice, f"{index} % len({table})"))
    yield replaced(file, texts) if len(texts) == 1 else ()


def _suppressed(aim: Mend, source: Source) -> Candidate:
    """`with contextlib.suppress(ProcessLookupError):` around `os.kill(pid, signal)`."""
    frame = own_frame(aim.error, source)
    around = source.around(frame) if frame else None
    statement = source.statement_at(frame) if frame else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if around is None or statement is None or not isinstance(call, ast.Call):
        return ()
    file = around[0].file
    if file.full_name(call.func) not in SIGNALLING:
        return ()
    text = (f"    {line}" for line in statement_text(file, statement))
    lines = (f"with contextlib.suppress({GONE}):  # it has ended by itself", *text)
    return (instead(file, statement, lines), *needed(file, lines))


def _begun_in_reset(aim: Mend, source: Source) -> Iterator[Candidate]:
    """Edits that move `self.simulator.connect()` from the constructor to reset(), above the call
    `self.simulator.begin()` that raises: the end of an episode takes back both.
    """
    frame = own_frame(aim.error, source)
    around = source.around(frame) if frame else None
    statement = source.statement_at(frame) if frame else None
    made = source.method(CONSTRUCTOR)
    if around is None or statement is None or made is None or around[1].name != RESET:
        return
    part, _ = _part_called(statement)
    for first in made[1].body if part else ():
        own, begin = _part_called(first)
        if own == part and (own, begin) not in map(_part_called, ast.walk(around[1])):
            text = statement_text(made[0].file, first)
            above = Edit(around[0].file.path, BEFORE, text, line=statement.lineno)
            yield (removed(made[0].file, first), above)


def _part_called(node: ast.AST) -> tuple[str, str]:
    """`simulator`, `connect` of the statement `self.simulator.connect()`."""
    call = node.value if isinstance(node, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) and not call.args else None
    if not isinstance(function, ast.Attribute) or not own_attribute(function.value):
        return "", ""
    return own_attribute(function.value), function.attr


def _reset_again(owner: OwningClass) -> Iterator[Candidate]:
    """Edits of `observation, _, _, _, info = self.env.step(0)` in reset(), or in a method that it
    calls: an episode that this step has ended is followed by the next.
    """
    reset = owner.methods.get(RESET)
    calls = [node.func for node in ast.walk(reset or ast.Pass()) if isinstance(node, ast.Call)]
    for name in (RESET, *map(own_attribute, calls)):
        method = owner.methods.get(name)
        for node in ast.walk(method) if method else ():
            parts = _stepped(node)
            if not parts or method is None or set(FLAGS) & {*names_in(method)}:
                continue
            assert isinstance(node, ast.Assign)
            assert isinstance(node.value, ast.Call)
            texts = [owner.file.text_of(each) for each in parts]
            inner = ast.unparse(node.value.func).rpartition(".")[0]
            lines = (
                f"{', '.join((*texts[:2], *FLAGS, texts[4]))} = {owner.file.text_of(node.value)}",
                f"if {' or '.join(FLAGS)}:",
                f"    {texts[0]}, {texts[4]} = {inner}.{RESET}()",
            )
            yield (instead(owner.file, node, lines),)


def _stepped(node: ast.AST) -> list[ast.expr]:
    """The five names of `observation, _, _, _, info = self.env.step(0)`, whose third and fourth are
    not looked at; none of other statements.
    """
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, call = node.targets[0], node.value
    function = call.func if isinstance(call, ast.Call) else None
    is_step = isinstance(function, ast.Attribute) and function.attr == STEP
    if not is_step or not isinstance(function, ast.Attribute) or not own_attribute(function.value):
        return []
    parts = target.elts if isinstance(target, ast.Tuple) else []
    is_unread = len(parts) == 5 and [last_name(each) for each in parts[2:4]] == ["_", "_"]
    return parts if is_unread else []
