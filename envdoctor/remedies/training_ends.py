"""Edits with which what a training starts ends, and with which it ends once: threads, processes
and loggers, and instances that are closed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from envdoctor.frameworks.threads import WITH_LOGGER, WITH_VECTORIZER
from envdoctor.model.remedy import BEFORE, INSTEAD, LAST, TOP, Edit
from envdoctor.model.training_aims import EndKind, EndOnce
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.coroutines import close_in_loop
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Source,
    assignments,
    block_of,
    called,
    innermost,
    instead,
    last_name,
    name_of_made,
    removed,
    stored_in,
    uses,
)
from envdoctor.remedies.training import (
    CLOSE,
    assigned_at,
    can_be_indented,
    names_made_of,
    with_finally,
)
from envdoctor.remedies.training_workers import end_with_parent, leave_to_trainer

QUEUE, RUN, DESTRUCTOR = "queue", "run", "__del__"
JOIN, GET, PUT = "join", "get", "put"
CLOSED = "_is_closed"
PAUSE = 0.1  # seconds between two looks whether a worker is alive


def end_once(aim: EndOnce, source: Source) -> Iterator[Candidate]:
    """Edits for the kind of an end; nothing where the text leaves it open."""
    file = source.files.get(aim.place.file)
    for way in KINDS[aim.kind] if file is not None else ():
        assert file is not None
        yield way(file, aim)


def _close_logger(file: File, aim: EndOnce) -> Candidate:
    """`model.logger.close()` after `model.learn()` of Stable-Baselines3."""
    statement = innermost(file, aim.place.line)
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    function = value.func if isinstance(value, ast.Call) else None
    package, method, closing = WITH_LOGGER
    is_known = any(name.startswith(package) for name in file.imported.values())
    if statement is None or not isinstance(function, ast.Attribute) or not is_known:
        return ()
    if function.attr != method or not isinstance(function.value, ast.Name | ast.Attribute):
        return ()
    text = (*statement_text(file, statement), f"{ast.unparse(function.value)}.{closing}")
    return (instead(file, statement, text),)


def _let_go(file: File, aim: EndOnce) -> Candidate:
    """`model.env = None` after `envs.close()`, for a model of Stable-Baselines3 that has it."""
    place = assigned_at(file, aim.place.line)
    package, attribute = WITH_VECTORIZER
    if place is None or not any(each.startswith(package) for each in file.imported.values()):
        return ()
    _, block, at = place
    name, rest = name_of_made(block[at]), block[at + 1 :]
    closes = [each for each in rest if _is_close_of(each, {name})]
    models = [
        name_of_made(each)
        for each in rest
        if name_of_made(each) and isinstance(each, ast.Assign) and isinstance(each.value, ast.Call)
        if file.full_name(each.value.func).startswith(package)
        if any(isinstance(part, ast.Name) and part.id == name for part in each.value.args)
    ]
    if len(closes) != 1 or len(models) != 1:
        return ()
    lines = (*statement_text(file, closes[0]), f"{models[0]}.{attribute} = None")
    return (instead(file, closes[0], lines),)


def _close_once(file: File, aim: EndOnce) -> Candidate:
    """No further `env.close()` of what was closed above, or of what a vectorizer has that is."""
    place = assigned_at(file, aim.place.line)
    if place is None:
        return ()
    scope, block, at = place
    name, rest = name_of_made(block[at]), block[at + 1 :]
    others = names_made_of(name, rest) - {name}
    closes = [each for each in ast.walk(scope) if _is_close_of(each, {name})]
    makers = [each for each in rest if _is_close_of(each, others)]
    if len(closes) == 1 and len(makers) == 1 and uses(scope, name) > 1:
        return (removed(file, closes[0]),) if isinstance(closes[0], ast.Expr) else ()
    again = [each for each in rest if _is_close_of(each, {name})]
    if len(closes) == len(again) == 2 and not makers and isinstance(again[1], ast.Expr):
        return (removed(file, again[1]),)
    return ()


def _is_close_of(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node) in {
        f"{each}.{CLOSE}()" for each in names
    }


def _read_first(file: File, aim: EndOnce) -> Candidate:
    """Results are taken out of a queue before the processes are joined that put them there."""
    block, at = _joining(file, aim)
    if not block:
        return ()
    join, rest = block[at], block[at + 1 :]
    reads = [each for each in rest if _reads_queue(file, each)]
    if not reads or not can_be_indented(file, [reads[0]]) or not can_be_indented(file, [join]):
        return ()
    between = rest[: rest.index(reads[0])]
    stored = {name for each in (join, *between) for name in stored_in(each)}
    needed = {each.id for each in ast.walk(reads[0]) if isinstance(each, ast.Name)}
    if stored & needed - set(stored_in(reads[0])):
        return ()
    text = statement_text(file, reads[0])
    return (Edit(file.path, BEFORE, text, line=join.lineno), instead(file, reads[0], ()))


def _drain(file: File, aim: EndOnce) -> Candidate:
    """Results that are not read any more are taken until all workers have ended."""
    block, at = _joining(file, aim)
    join = block[at] if block else None
    if not isinstance(join, ast.For) or not isinstance(join.target, ast.Name):
        return ()
    body = list(map(ast.unparse, join.body))
    queues = list(_queues_read(file, join))
    if body != [f"{join.target.id}.{JOIN}()"] or len(queues) != 1:
        return ()
    alive = f"any({join.target.id}.is_alive() for {join.target.id} in {ast.unparse(join.iter)})"
    lines = (
        f"while {alive}:",
        f"{STEP}try:",
        f"{STEP * 2}{queues[0]}.get(timeout={PAUSE})",
        f"{STEP}except queue.Empty:",
        f"{STEP * 2}pass",
    )
    edit = Edit(file.path, BEFORE, lines, line=join.lineno)
    if file.imported.get(QUEUE) == QUEUE:
        return (edit,)
    is_free = QUEUE not in file.imported and not uses(file.tree, QUEUE)
    return (Edit(file.path, TOP, ("import queue",)), edit) if is_free else ()


def _joining(file: File, aim: EndOnce) -> tuple[list[ast.stmt], int]:
    """The block of a line that joins something, and the place in it: that of the loop of which it
    is all.
    """
    statement = innermost(file, aim.place.line)
    value = statement.value if isinstance(statement, ast.Expr) else None
    if statement is None or called(value) != JOIN:
        return [], 0
    block = block_of(statement, file.tree)
    loop = next(
        (n for n in ast.walk(file.tree) if isinstance(n, ast.For) and n.body is block), None
    )
    if loop is not None and len(block) == 1:
        block, statement = block_of(loop, file.tree), loop
    return block, block.index(statement)


def _reads_queue(file: File, statement: ast.stmt) -> bool:
    queues = set(_queues(file.tree))
    return any(each in queues for each in _receivers(statement, GET))


def _receivers(node: ast.AST, method: str) -> Iterator[str]:
    """`self.results` of `self.results.get()`."""
    for each in ast.walk(node):
        function = each.func if isinstance(each, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.attr == method:
            yield ast.unparse(function.value)


def _queues(node: ast.AST) -> Iterator[str]:
    """The names and attributes that code gives a queue of multiprocessing."""
    for each in ast.walk(node):
        for target, value in assignments(each):
            if called(value).endswith("Queue"):
                yield ast.unparse(target)


def _queues_read(file: File, statement: ast.stmt) -> Iterator[str]:
    """The queues that the class, or the function, around a statement makes and reads."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    around = [n for n in ast.walk(file.tree) if isinstance(n, kinds) and statement in ast.walk(n)]
    for scope in around[:1]:
        read = set(_receivers(scope, GET))
        yield from (name for name in dict.fromkeys(_queues(scope)) if name in read)


def _send_last(file: File, aim: EndOnce) -> Candidate:
    """None into the queue that a thread waits for, before it is joined: its run() knows None."""
    block, at = _joining(file, aim)
    around = Source({file.path: file}, "", file.path).around(aim.place)
    if not block or around is None:
        return ()
    joined = ast.unparse(block[at]).partition("[")[0].partition(f".{JOIN}(")[0]
    made = [
        call
        for node in ast.walk(around[0].node)
        for target, value in assignments(node)
        if ast.unparse(target) == joined
        for call in ast.walk(value)
        if isinstance(call, ast.Call) and last_name(call.func) in file.classes
    ]
    queue = _queue_of(file, made[0]) if len(made) == 1 else ""
    if not queue:
        return ()
    line = f"{queue}.{PUT}(None)"
    if any(line in map(ast.unparse, _statements(each)) for each in block[:at]):
        return ()
    return (Edit(file.path, BEFORE, (line,), line=block[at].lineno),)


def _queue_of(file: File, made: ast.Call) -> str:
    """The argument of a thread's constructor that its run() takes values from, of which it knows
    None; nothing where that is not sure.
    """
    owner = file.classes[last_name(made.func)]
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    init, run = methods.get(CONSTRUCTOR), methods.get(RUN)
    if init is None or run is None:
        return ""
    names = [each.arg for each in init.args.args[1:]]
    values = {ast.unparse(t): ast.unparse(v) for n in ast.walk(init) for t, v in assignments(n)}
    queues = set()
    for node in ast.walk(run):
        for target, value in assignments(node):
            if called(value) == GET and _knows_none(run, ast.unparse(target)):
                queues |= set(_receivers(value, GET))
    argument = values.get(queues.pop(), "") if len(queues) == 1 else ""
    at = names.index(argument) if argument in names else len(made.args)
    is_plain = at < len(made.args) and isinstance(made.args[at], ast.Name | ast.Attribute)
    return ast.unparse(made.args[at]) if is_plain else ""


def _knows_none(run: ast.FunctionDef, name: str) -> bool:
    tests = {f"{name} is None", f"{name} is not None"}
    return any(
        isinstance(each, ast.Compare) and ast.unparse(each) in tests for each in ast.walk(run)
    )


def _close_as_destructor(file: File, aim: EndOnce) -> Candidate:
    """close() calls what only __del__() calls; one that does nothing does all of it, once."""
    owner = file.classes.get(aim.name)
    methods: dict[str, ast.FunctionDef] = {}
    for each in owner.body if owner is not None else ():
        if isinstance(each, ast.FunctionDef):
            methods[each.name] = each
    close, last = methods.get(CLOSE), methods.get(DESTRUCTOR)
    if close is None or last is None or close.body[0].lineno == close.lineno:
        return ()
    wanted = tuple(map(ast.unparse, last.body))
    if any(ast.unparse(each) in wanted for each in _statements(close)):
        return ()
    if f"self.{CLOSE}()" in map(ast.unparse, _statements(last)):
        return ()
    if not all(map(_is_own_call, last.body)):
        return _take_over(file, aim, close, last)
    return (_at_end_of(file, aim, close, wanted),)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """A statement, and those in it."""
    yield from (each for each in ast.walk(node) if isinstance(each, ast.stmt))


def _at_end_of(file: File, aim: EndOnce, close: ast.FunctionDef, lines: tuple[str, ...]) -> Edit:
    """Lines at the end of a method, in place of a `pass`."""
    empty = [each for each in close.body if isinstance(each, ast.Pass)]
    return (
        instead(file, empty[0], lines) if empty else Edit(file.path, LAST, lines, aim.name, CLOSE)
    )


def _take_over(
    file: File, aim: EndOnce, close: ast.FunctionDef, last: ast.FunctionDef
) -> Candidate:
    """The body of __del__() goes to a close() that does nothing, which __del__() calls."""
    is_empty = all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in close.body
    )
    plain = not any(isinstance(each, ast.Return | ast.Yield) for each in ast.walk(last))
    arguments = [*ast.walk(close.args), *ast.walk(last.args)]
    alone = len([each for each in arguments if isinstance(each, ast.arg)]) == 2
    is_free = not any(each in file.text for each in (CLOSED, "__slots__"))
    is_free &= "super()" not in file.text_of(last)
    if not (is_empty and plain and alone and is_free) or not can_be_indented(file, last.body):
        return ()
    first, end = last.body[0], last.body[-1].end_lineno or 0
    moved = [line[first.col_offset :] for line in file.lines[first.lineno - 1 : end]]
    lines = (
        f'if not getattr(self, "{CLOSED}", False):',
        f"{STEP}self.{CLOSED} = True",
        *(f"{STEP}{line}" for line in moved),
    )
    calls = Edit(file.path, INSTEAD, (f"self.{CLOSE}()",), line=first.lineno, end=end)
    return (_at_end_of(file, aim, close, lines), calls)


def _is_own_call(node: ast.stmt) -> bool:
    """Return True for `self.end()`."""
    text = ast.unparse(node)
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call and text.startswith("self.") and text.endswith("()") and text.count(".") == 1


def _end_before_exit(file: File, aim: EndOnce) -> Candidate:
    """`finally: shut_down()` for `atexit.register(shut_down)`, where the rest of its block ends the
    script, or the function.
    """
    registers = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and file.full_name(node.value.func) == "atexit.register"
        and last_name(node.value.args[0]) == aim.name
    ]
    call = registers[0].value if len(registers) == 1 else None
    if not isinstance(call, ast.Call) or call.keywords:
        return ()
    block = block_of(registers[0], file.tree)
    rest = block[block.index(registers[0]) + 1 :]
    used = {each.id for each in ast.walk(call) if isinstance(each, ast.Name)}
    changed = {name for each in rest for name in stored_in(each)} & used
    ends = rest and not isinstance(rest[0], ast.Return)
    if not ends or changed or registers[0].lineno != registers[0].end_lineno:
        return ()
    arguments = ", ".join(file.text_of(each) for each in call.args[1:])
    moved = with_finally(file, block, rest, (f"{file.text_of(call.args[0])}({arguments})",))
    imports = [
        node
        for node in file.tree.body
        if ast.unparse(node) == "import atexit" and uses(file.tree, "atexit") == 1
    ]
    gone = [instead(file, each, ()) for each in (*imports, registers[0])]
    return (*gone, *moved) if moved else ()


KINDS: dict[EndKind, tuple[Callable[[File, EndOnce], Candidate], ...]] = {
    "exit": (_end_before_exit, close_in_loop),
    "logger": (_close_logger,),
    "kept": (_let_go,),
    "again": (_close_once,),
    "interrupt": (leave_to_trainer,),
    "parent": (end_with_parent,),
    "read": (_read_first, _drain),
    "last": (_send_last,),
    "destructor": (_close_as_destructor,),
}
