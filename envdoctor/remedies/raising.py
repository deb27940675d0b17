"""Edits with which a call raises where it would wait for ever: what it waits for has ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.failure_aims import RaiseEnd
from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.remedies.applying import STEP, start_of
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    instead,
    last_name,
    names_in,
    own_attribute,
)
from envdoctor.remedies.training import can_be_indented

#: What says that a process has ended, and how: of what is started by these.
ENDED = {
    "Popen": ("{0}.poll() is not None", "{0}.returncode"),
    "Process": ("not {0}.is_alive()", "{0}.exitcode"),
}
PAUSE = "1.0"  # seconds between two looks at a process
ANSWER, ERROR = "answer", "error"
PLAIN = (ast.Expr, ast.Assign, ast.Return)


def raise_end(aim: RaiseEnd, source: Source) -> Iterator[Candidate]:
    """Edits of a loop that asks whether the process still runs, of a wait for its answer, and of a
    thread that hands on what it raises.
    """
    around, statement = source.around(aim.place), source.statement_at(aim.place)
    if around is None or statement is None:
        return
    owner, method = around
    processes = list(dict.fromkeys(_processes(source)))
    for name, kind in processes if len(processes) == 1 else ():
        quiet = _closed_quietly(source, name)
        for edits in (
            *_looked_at(owner.file, method, statement, name, kind),
            *_asked_meanwhile(source, owner.file, statement, name, kind),
        ):
            yield edits
            yield (*edits, *quiet) if quiet else ()
    yield from _handed_on(source, owner, method, statement)


def _processes(source: Source) -> Iterator[tuple[str, str]]:
    """The attributes that have a process, and what it was started by."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            for target, value in assignments(node):
                if own_attribute(target) and called(value) in ENDED:
                    yield own_attribute(target), called(value)


def _raising(name: str, kind: str) -> tuple[str, ...]:
    has_ended, code = (text.format(f"self.{name}") for text in ENDED[kind])
    said = f"{name.strip('_')} ended with exit code {{{code}}}"
    return (f"if {has_ended}:", f'{STEP}raise RuntimeError(f"{said}")')


def _looked_at(
    file: File, method: Function, statement: ast.stmt, name: str, kind: str
) -> Iterator[Candidate]:
    """Edits of a loop that looks again and again for something else."""
    loops = [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.While) and (node is statement or statement in node.body)
    ]
    for loop in loops[-1:]:
        asks = any(called(node) in ("poll", "is_alive") for node in ast.walk(loop))
        if not asks and loop.body[0].lineno > loop.lineno:
            line = start_of(loop.body[0])
            yield (Edit(file.path, BEFORE, _raising(name, kind), line=line),)


def _asked_meanwhile(
    source: Source, file: File, statement: ast.stmt, name: str, kind: str
) -> Iterator[Candidate]:
    """Edits before `self.pipe.recv()`: until there is an answer, the process is looked at."""
    for node in ast.walk(statement):
        function = node.func if isinstance(node, ast.Call) else None
        pipe = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
        if pipe and called(node) == "recv" and pipe in _pipes(source):
            look = (f"{STEP}{line}" for line in _raising(name, kind))
            lines = (f"while not self.{pipe}.poll({PAUSE}):", *look)
            yield (Edit(file.path, BEFORE, lines, line=statement.lineno),)


def _closed_quietly(source: Source, name: str) -> Candidate:
    """`with contextlib.suppress(BrokenPipeError): self.process.stdin.close()`: what is left to
    write goes to a process that has ended.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        for node in ast.walk(owner.node):
            call = f"self.{name}.stdin.close()"
            if isinstance(node, ast.Expr) and owner.file.text_of(node) == call:
                lines = ("with contextlib.suppress(BrokenPipeError):", f"{STEP}{call}")
                edits += [instead(owner.file, node, lines), *needed(owner.file, lines)]
    return tuple(dict.fromkeys(edits))


def _pipes(source: Source) -> set[str]:
    """The attributes that have an end of a pipe of multiprocessing."""
    return {
        own_attribute(part)
        for owner in source.chain
        for node in ast.walk(owner.node)
        for target, value in assignments(node)
        if called(value) == "Pipe" and isinstance(target, ast.Tuple)
        for part in target.elts
    }


def _handed_on(
    source: Source, owner: OwningClass, method: Function, statement: ast.stmt
) -> Iterator[Candidate]:
    """Edits of a thread, which puts what it raises into the queue of its results, and of the method
    that takes them, which raises that.
    """
    calls = [node for node in ast.walk(statement) if called(node) == "get"]
    call = calls[0] if len(calls) == 1 else None
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return
    queue = own_attribute(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    thread = _filling(source, queue) if queue else None
    answer = _raised(owner.file, method, statement, call)
    if thread is not None and answer is not None:
        put = _caught(*thread, queue)
        yield (*put, answer) if put else ()


def _filling(source: Source, queue: str) -> tuple[OwningClass, Function] | None:
    """The method that a thread of the environment runs, and that puts something into a queue."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            if called(node) != "Thread" or not isinstance(node, ast.Call):
                continue
            target = source.method(own_attribute(argument(node, "target", 1)))
            if target is not None and any(_puts(each, queue) for each in ast.walk(target[1])):
                return target
    return None


def _puts(node: ast.AST, queue: str) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    is_put = isinstance(function, ast.Attribute) and function.attr == "put"
    return is_put and own_attribute(getattr(function, "value", None)) == queue


def _caught(owner: OwningClass, method: Function, queue: str) -> Candidate:
    """A `try` around what a thread runs."""
    file = owner.file
    body = method.body[ast.get_docstring(method) is not None :]
    if not body or not can_be_indented(file, body) or ERROR in names_in(method):
        return ()
    first, end = start_of(body[0]), body[-1].end_lineno or body[-1].lineno
    column = body[0].col_offset
    lines = (
        "try:",
        *(f"{STEP}{line[column:]}" for line in file.lines[first - 1 : end]),
        f"except Exception as {ERROR}:",
        f"{STEP}self.{queue}.put({ERROR})  # it is raised where a result is taken",
    )
    return (Edit(file.path, INSTEAD, lines, line=first, end=end),)


def _raised(file: File, method: Function, statement: ast.stmt, call: ast.Call) -> Edit | None:
    """The statement that takes a result, which it raises where it is an error."""
    is_single = statement.lineno == statement.end_lineno
    if not isinstance(statement, PLAIN) or not is_single or ANSWER in names_in(method):
        return None
    name, rest = ANSWER, tuple[str, ...]()
    if isinstance(statement, ast.Assign) and statement.value is call:
        target = statement.targets[0]
        is_name = len(statement.targets) == 1 and isinstance(target, ast.Name)
        name = last_name(target) if is_name else ANSWER
    expression, text = file.text_of(call), file.text_of(statement)
    if name == ANSWER and not (isinstance(statement, ast.Expr) and statement.value is call):
        rest = (text.replace(expression, ANSWER, 1),)
    assert isinstance(call.func, ast.Attribute)
    lines = (
        f"{name} = {expression}",
        f"if isinstance({name}, Exception):",
        f"{STEP}{ast.unparse(call.func.value)}.put({name})  # the next call raises it, too",
        f"{STEP}raise {name}",
        *rest,
    )
    return instead(file, statement, lines)
