"""Edits of the processes of a training: they end where their parent is gone, and start while what
they take along is open.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.model.training_aims import EndOnce, MendFailure
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    assignments,
    block_of,
    called,
    innermost,
    instead,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
)

MODULE, PARENT = "multiprocessing", "parent_process"
PLAYING = ("reset", "step")
REPEATED = ("range", "enumerate", "zip")  # of what can be gone through again
PUTTING = ("put", "put_nowait")


def end_with_parent(file: File, aim: EndOnce) -> Candidate:
    """The endless loop of a worker ends where the process is gone that started it: what a killed
    trainer has to do at its end is not done.
    """
    started = _started(file, aim.place.line)
    function = _target(file, started) if started is not None else None
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
    function = _target(file, started) if started is not None else None
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


def _target(file: File, started: ast.Call) -> Function | None:
    """The one function of the file that a process runs."""
    names = [last_name(each.value) for each in started.keywords if each.arg == "target"]
    functions = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.FunctionDef) and node.name in names
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
    arguments = next((each.value for each in started.keywords if each.arg == "args"), None)
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
