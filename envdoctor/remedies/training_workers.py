"""Edits of the processes of a training: they end where their parent is gone, and start while what
they take along is open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.model.training_aims import EndOnce, MendFailure
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    assignments,
    block_of,
    called,
    function_at,
    innermost,
    instead,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
    uses,
)
from envdoctor.remedies.training import with_finally

MODULE, PARENT = "multiprocessing", "parent_process"
PLAYING = ("reset", "step")
REPEATED = ("range", "enumerate", "zip")  # of what can be gone through again
ENDING = ("join", "kill", "terminate")
PUTTING = ("put", "put_nowait")


def end_with_parent(file: File, aim: EndOnce) -> Candidate:
    """The endless loop of a worker ends where the process is gone that started it: what a killed
    trainer has to do at its end is not done.
    """
    started = _started(file, aim.place.line)
    function = target_of(file, started) if started is not None else None
    loops = [n for n in ast.walk(function or ast.Pass()) if isinstance(n, ast.While)]
    endless = [each for each in loops if isinstance(each.test, ast.Constant) and each.test.value]
    if started is None or function is None or len(endless) != 1 or PARENT in file.text_of(function):
        return ()
    loop = endless[0]
    block = block_of(loop, function)
    tried = next((n for n in function.body if isinstance(n, ast.Try) and n.body is block), None)
    if (block is not function.body and tried is None) or loop.body[0].lineno == loop.lineno:
        return ()
    module = next((name for name, full in file.imported.items() if full == MODULE), MODULE)
    ends = block[-1] is not loop
    ends |= tried is not None and (bool(tried.finalbody) or function.body[-1] is not tried)
    environments = () if ends else _environments_of(block, loop)
    lines = (
        f"if not {module}.{PARENT}().is_alive():",
        *(f"{STEP}{queue}.cancel_join_thread()" for queue in _filled(file, function, started)),
        *(f"{STEP}{name}.close()" for name in environments),
        f"{STEP}{'break' if ends else 'return'}",
    )
    edit = Edit(file.path, BEFORE, lines, line=loop.body[0].lineno)
    return (*needed(file, (f"{module}.",)), edit)


def leave_to_trainer(file: File, aim: EndOnce) -> Candidate:
    """A worker that takes orders from a pipe leaves Ctrl-C to the trainer, which asks it to end."""
    started = _started(file, aim.place.line)
    function = target_of(file, started) if started is not None else None
    asked = any(called(node) == "recv" for node in ast.walk(function or ast.Pass()))
    if function is None or not asked or "SIGINT" in file.text_of(function):
        return ()
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body or body[0].lineno == function.lineno:
        return ()
    line = "signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer ends it"
    return (*needed(file, (line,)), Edit(file.path, BEFORE, (line,), line=body[0].lineno))


def _started(file: File, line: int) -> ast.Call | None:
    """The one process that a line makes."""
    started = [
        node
        for node in ast.walk(innermost(file, line) or ast.Pass())
        if isinstance(node, ast.Call) and last_name(node.func) == "Process"
    ]
    return started[0] if len(started) == 1 else None


def target_of(file: File, started: ast.Call) -> Function | None:
    """The one function of the file that a process runs."""
    name = last_name(argument(started, "target"))
    functions = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return functions[0] if len(functions) == 1 else None


def _environments_of(block: list[ast.stmt], loop: ast.While) -> Iterator[str]:
    """The variables above a loop whose environments are played in it."""
    names = {
        node.func.value.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in PLAYING and isinstance(node.func.value, ast.Name)
    }
    above = block[: block.index(loop)]
    yield from dict.fromkeys(name for each in above if (name := name_of_made(each)) in names)


def _filled(file: File, function: Function, started: ast.Call) -> Iterator[str]:
    """The arguments of a function that are queues of multiprocessing, into which it puts: what is
    in their buffers would be waited for at the end of the process.
    """
    queues = {
        ast.unparse(target)
        for node in ast.walk(file.tree)
        for target, value in assignments(node)
        if called(value) == "Queue"
    }
    arguments = argument(started, "args")
    values = arguments.elts if isinstance(arguments, ast.Tuple | ast.List) else []
    names = [each.arg for each in function.args.args]
    names = names[1:] if names[:1] == ["self"] else names
    for name, value in zip(names, values, strict=False):
        puts = any(
            isinstance(node, ast.Attribute)
            and node.attr in PUTTING
            and names_in(node.value) == [name]
            for node in ast.walk(function)
        )
        if puts and ast.unparse(value) in queues:
            yield name


def close_after_starts(file: File, aim: MendFailure) -> Candidate:
    """`for index in range(number): self.theirs[index].close()` below the loop that starts the
    processes, in place of the line in it: the instance that the next process gets has that pipe.
    """
    start = innermost(file, aim.place.line)
    loops = [n for n in ast.walk(file.tree) if isinstance(n, ast.For) and start in n.body]
    if not loops or start is None or loops[0].orelse:
        return ()
    (loop,) = loops
    starts = isinstance(start, ast.Expr) and called(start.value) == "start"
    closes = isinstance(loop.body[-1], ast.Expr) and called(loop.body[-1].value) == "close"
    bound = any(
        isinstance(node, ast.keyword) and node.arg == "target" and own_attribute(node.value)
        for node in ast.walk(loop)
    )
    again = isinstance(loop.iter, ast.Name | ast.Attribute) or called(loop.iter) in REPEATED
    if not (starts and closes and bound and again) or loop.body[-1] is start:
        return ()
    used = set(names_in(loop.body[-1])) - {"self"}
    if not used <= set(names_in(loop.target)) or loop.lineno == loop.body[0].lineno:
        return ()
    last = loop.body[-1]
    kept = file.lines[loop.lineno - 1 : last.lineno - 1]
    head = f"for {file.text_of(loop.target)} in {file.text_of(loop.iter)}:"
    lines = (
        *(line[loop.col_offset :] for line in kept),
        head,
        *(f"{STEP}{line}" for line in statement_text(file, last)),
    )
    return (instead(file, loop, lines),)


def end_workers(place: Frame, source: Source) -> Iterator[Candidate]:
    """Edits of a function that starts processes in a loop, and keeps them with their pipes in a
    list: at its end, each is asked to end by what ends its loop, and joined. Nothing where they may
    be used later.
    """
    file = source.files.get(place.file)
    function = function_at(file, place.line) if file is not None else None
    started = _started(file, place.line) if file is not None else None
    target = target_of(file, started) if file is not None and started is not None else None
    if file is None or function is None or started is None or target is None:
        return
    body = function.body
    for at, loop in enumerate(body):
        row = _row(loop, started) if isinstance(loop, ast.For) else None
        if not isinstance(loop, ast.For) or row is None:
            continue
        name, (process, pipe) = row
        last = _last_order(_argument_of(target, started, _other_end(loop, pipe)), target)
        if not last or _is_kept(file, function, name):
            return
        lines = (
            f"for {process}, {pipe} in {name}:",
            f"{STEP}{pipe}.send({last})",
            f"{STEP}{process}.join()",
            f"{STEP}{process}.close()",
            f"{STEP}{pipe}.close()",
            *_removals(file, function, name),
        )
        yield with_finally(file, body, body[at + 1 :], lines)


def _row(loop: ast.For, started: ast.Call) -> tuple[str, tuple[str, str]] | None:
    """`actors`, `process`, `pipe` of `actors.append((process, pipe))` in a loop that makes them."""
    made = [name_of_made(each) for each in loop.body if getattr(each, "value", None) is started]
    for each in loop.body:
        call = each.value if isinstance(each, ast.Expr) else None
        function = call.func if isinstance(call, ast.Call) else None
        if not isinstance(function, ast.Attribute) or function.attr != "append":
            continue
        assert isinstance(call, ast.Call)
        pair = call.args[0] if len(call.args) == 1 else None
        names = list(map(last_name, pair.elts)) if isinstance(pair, ast.Tuple) else []
        if len(names) == 2 and names[:1] == made and names[1]:
            return ast.unparse(function.value), (names[0], names[1])
    return None


def _other_end(loop: ast.For, pipe: str) -> str:
    """`theirs` of `pipe, theirs = multiprocessing.Pipe()`."""
    for each in loop.body:
        for target, value in assignments(each):
            names = list(map(last_name, target.elts)) if isinstance(target, ast.Tuple) else []
            if called(value) == "Pipe" and len(names) == 2 and pipe in names:
                return names[1 - names.index(pipe)]
    return ""


def _argument_of(function: Function, started: ast.Call, value: str) -> str:
    """The argument with which a function gets what the process is given."""
    arguments = argument(started, "args")
    values = list(map(last_name, arguments.elts)) if isinstance(arguments, ast.Tuple) else []
    names = [each.arg for each in function.args.args]
    return names[values.index(value)] if value in values and len(names) == len(values) else ""


def _last_order(pipe: str, function: Function) -> str:
    """The order that ends `while pipe.recv():`, and `for order in iter(pipe.recv, None):`."""
    for node in ast.walk(function):
        if isinstance(node, ast.While) and ast.unparse(node.test) == f"{pipe}.recv()":
            return "False"
        if isinstance(node, ast.For) and ast.unparse(node.iter) == f"iter({pipe}.recv, None)":
            return "None"
    return ""


def _is_kept(file: File, function: Function, name: str) -> bool:
    """Return True if a list of processes is ended, returned, or kept where something reads it."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and node.attr in ENDING:
            return True
        if any(isinstance(each, ast.Name) and each.id == name for each in _handed_on(node)):
            return True
        for target, value in assignments(node):
            if isinstance(value, ast.Name) and value.id == name:
                place = target.value if isinstance(target, ast.Subscript) else None
                if not isinstance(place, ast.Name) or uses(file.tree, place.id) != 2:
                    return True
    return False


def _removals(file: File, function: Function, name: str) -> Iterator[str]:
    """`ACTORS.pop(trial, None)` where a registry of those that run gets the list."""
    for node in ast.walk(function):
        for target, value in assignments(node):
            if isinstance(target, ast.Subscript) and last_name(value) == name:
                yield f"{file.text_of(target.value)}.pop({file.text_of(target.slice)}, None)"


def _handed_on(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of what is returned, and what is given to a call."""
    if isinstance(node, ast.Call):
        yield from node.args
    elif isinstance(node, ast.Return | ast.Yield) and node.value is not None:
        yield from ast.walk(node.value)
