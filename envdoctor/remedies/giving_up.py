"""Edits of lines around which an error is caught: what the call that failed leaves is ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.failure_aims import EndFailed
from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.remedies.applying import STEP, start_of, statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    block_of,
    called,
    instead,
    last_name,
    replaced,
    stored_in,
)

WAITS, COMMANDS = "asyncio.wait_for", ("command", "cmd", "argv", "args", "words")
LEFT = "_left"  # the attribute of a class with what could not be ended


def end_failed(aim: EndFailed, source: Source) -> Iterator[Candidate]:
    """Edits that give a limit to the command itself, beside the wait for who runs it elsewhere; and
    that end later what could not be ended.
    """
    around = source.around(aim.place)
    if around is not None:
        owner, method = around
        yield _limited_inside(owner.file, method, source.statement_at(aim.place))
        yield from _limited_call(owner.file, source.statement_at(aim.place))
        yield _ended_later(owner, method, aim.place.line)


def _limited_inside(file: File, method: Function, wait: ast.stmt | None) -> Candidate:
    """`Popen(["docker", "exec", name, "timeout", str(LIMIT), *command])` where a line waits for it
    by `client.wait(LIMIT)`.
    """
    limits = {
        last_name(node.func.value): limit
        for node in ast.walk(wait or ast.Pass())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if (limit := _limit(node)) is not None
    }
    for node in ast.walk(method):
        for target, value in assignments(node):
            limit = limits.get(last_name(target))
            if limit is None or called(value) != "Popen" or not isinstance(value, ast.Call):
                continue
            words = value.args[0] if value.args else None
            command = words.elts[-1] if isinstance(words, ast.List) and words.elts else None
            if isinstance(command, ast.Starred) and len(getattr(words, "elts", ())) > 1:
                text = f'"timeout", str({file.text_of(limit)}), {file.text_of(command)}'
                return replaced(file, [(command, text)])
    return ()


def _limited_call(file: File, wait: ast.stmt | None) -> Iterator[Candidate]:
    """`asyncio.wait_for(box.exec(["timeout", str(limit), *command]), limit)`: the command that
    a call is given, by a name that says so.
    """
    for node in ast.walk(wait or ast.Pass()):
        is_wait = isinstance(node, ast.Call) and file.full_name(node.func) == WAITS
        limit = argument(node, "timeout", 1) if is_wait and isinstance(node, ast.Call) else None
        call = node.args[0] if limit is not None and isinstance(node, ast.Call) else None
        for value in call.args if isinstance(call, ast.Call) else ():
            if last_name(value) in COMMANDS and limit is not None:
                text = f'["timeout", str({file.text_of(limit)}), *{file.text_of(value)}]'
                yield replaced(file, [(value, text)])


def _limit(call: ast.Call) -> ast.expr | None:
    """`LIMIT` of `client.wait(LIMIT)`, and of `client.communicate(timeout=LIMIT)`."""
    if called(call) == "wait":
        return argument(call, "timeout", 0)
    return argument(call, "timeout", 1) if called(call) == "communicate" else None


def _ended_later(owner: OwningClass, method: Function, line: int) -> Candidate:
    """A list of what could not be ended, which the class keeps: the `try` around a line ends each
    of it, and what it does not end stays for the next time.
    """
    tries = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Try) and len(node.body) == 1 and node.body[0].lineno == line
    ]
    tried = tries[0] if len(tries) == 1 else None
    ends = tried.body[0] if tried is not None else None
    call = ends.value if isinstance(ends, ast.Expr) else None
    if tried is None or not isinstance(call, ast.Call) or tried.orelse or tried.finalbody:
        return ()
    own = {*stored_in(method), *(each.arg for each in method.args.args)}
    names = [each.id for each in call.args if isinstance(each, ast.Name) and each.id in own]
    leaves = any(isinstance(n, ast.Return | ast.Raise) for h in tried.handlers for n in ast.walk(h))
    block = block_of(tried, method)
    if (
        len(names) != 1
        or len(call.args) != 1
        or leaves
        or block[-1] is not tried
        or LEFT in owner.file.text
    ):
        return ()
    (name,) = names
    text = statement_text(owner.file, tried)
    lines = (
        f"self.{LEFT}.append({name})",
        f"for {name} in list(self.{LEFT}):",
        *(f"{STEP}{each}" for each in text),
        f"{STEP}else:",
        f"{STEP * 2}self.{LEFT}.remove({name})",
    )
    return (_kept(owner), instead(owner.file, tried, lines))


def _kept(owner: OwningClass) -> Edit:
    """The edit that gives a class the list, after the attributes that it begins with."""
    line = f"{LEFT} = []  # of all instances: what could not be ended yet"
    values: list[ast.stmt] = []
    for each in owner.node.body:
        if isinstance(each, ast.FunctionDef):
            break
        values += [each] if isinstance(each, ast.Assign | ast.AnnAssign) else []
    if values:
        return instead(owner.file, values[-1], (*statement_text(owner.file, values[-1]), line))
    method = next(iter(owner.methods.values()))
    return Edit(owner.file.path, BEFORE, (line, ""), line=start_of(method))
