"""Edits with which a wait ends: what it waits for is done, or is not needed, before it begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import EndWait
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, TOP, Edit
from envdoctor.remedies.applying import STEP, before_return, statement_text
from envdoctor.remedies.finishing import counterpart
from envdoctor.remedies.holding import made_class
from envdoctor.remedies.needing import bound_names, needed
from envdoctor.remedies.processes import end_group
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
    name_of_made,
    own_attribute,
    removed,
    replaced,
)
from envdoctor.remedies.telling import tell

COPIES = ("copy.copy", "copy.deepcopy")
TAKES = ("get", "get_nowait")  # from a queue
PIPE, NOWHERE = "subprocess.PIPE", "DEVNULL"
RUNNING = tuple(f"subprocess.{name}" for name in ("call", "check_call", "check_output", "run"))
OUTPUTS = {"stdout": 4, "stderr": 5}  # arguments of Popen, and their places


def end_wait(aim: EndWait, source: Source) -> Iterator[Candidate]:
    """Edits that read a pipe to its end in place of a wait, or make none; that ask a thread to end
    before it is joined, ask for an answer before what it comes with, or give back what was taken
    in the episode before; and that end the group of a shell.
    """
    around, statement = source.around(aim.place), source.statement_at(aim.place)
    if around is None or statement is None:
        return
    owner, method = around
    block = block_of(statement, method)
    if aim.full:
        yield _communicated(owner.file, statement, block)
        yield from _discarded(source)
        return
    if method.name == "close" and called(getattr(statement, "value", None)) == "join":
        yield from _not_copied(source)
    yield _asked_to_end(source, owner, statement, block)
    if method.name == "close":
        yield _put_if_room(source, owner.file, statement)
    else:
        yield _without_input(source, owner.file, statement)
        yield _without_workers(source, owner.file, statement)
    yield from _asked_before(owner, method, statement)
    yield from _given_back(source, owner, method, block)
    for each in source.chain:
        for node in ast.walk(each.node):
            if called(node) == "Popen":
                assert isinstance(node, ast.Call)
                yield from end_group(Frame(each.file.path, node.lineno), source)


def _not_copied(source: Source) -> Iterator[Candidate]:
    """Edits without `env = copy.copy(env)` in a function that gives what it gets another class: a
    copy has the threads and queues of its original, and tells the original nothing.
    """
    for file in source.files.values():
        for function in (node for node in file.tree.body if isinstance(node, ast.FunctionDef)):
            nodes = list(ast.walk(function))
            turned = {
                last_name(target.value)
                for node in nodes
                for target, _ in assignments(node)
                if isinstance(target, ast.Attribute) and target.attr == "__class__"
            }
            for node in nodes:
                value = node.value if isinstance(node, ast.Assign) else None
                is_copy = isinstance(value, ast.Call) and file.full_name(value.func) in COPIES
                name = name_of_made(node) if isinstance(node, ast.Assign) and is_copy else ""
                of_itself = isinstance(value, ast.Call) and list(map(last_name, value.args)) == [
                    name
                ]
                if name in turned and of_itself and isinstance(node, ast.Assign):
                    yield (removed(file, node),)


def _communicated(file: File, statement: ast.stmt, block: list[ast.stmt]) -> Candidate:
    """No `process.wait()` before `process.communicate()`, which waits as well, and reads."""
    call = _call_of(statement, "wait")
    if call is None or not isinstance(call.func, ast.Attribute):
        return ()
    wanted = f"{ast.unparse(call.func.value)}.communicate"
    after = block[block.index(statement) + 1 :] if block else []
    nodes = (node for each in after for node in ast.walk(each))
    if any(isinstance(node, ast.Call) and ast.unparse(node.func) == wanted for node in nodes):
        return (removed(file, statement),)
    return ()


def _call_of(statement: ast.stmt, name: str) -> ast.Call | None:
    """The call of a statement that is `something.name()`, without a limit."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    is_plain = isinstance(call, ast.Call) and not (call.args or call.keywords)
    return call if is_plain and isinstance(call, ast.Call) and called(call) == name else None


def _asked_to_end(
    source: Source, owner: OwningClass, statement: ast.stmt, block: list[ast.stmt]
) -> Candidate:
    """The statement that ends the loop of a thread, before `self.thread.join()`."""
    call = _call_of(statement, "join")
    function = call.func if call is not None else None
    name = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
    line = tell(source, name) if name else ""
    before = block[: block.index(statement)] if block else []
    if not line or any(line == ast.unparse(each) for each in before):
        return ()
    return (Edit(owner.file.path, BEFORE, (line,), owner.name, line=statement.lineno),)


def _asked_before(owner: OwningClass, method: Function, wait: ast.stmt) -> Iterator[Candidate]:
    """Edits of a method that gives an order, and then calls the one that asks and waits for an
    answer: it asks first, and waits after the order.
    """
    *asks, last = method.body
    is_plain = [each.arg for each in method.args.args] == ["self"] and last is wait
    if not (isinstance(last, ast.Return) and last.value and is_plain and asks):
        return
    if any(_call_of_any(each) is None for each in asks):
        return
    lines = tuple(line for each in asks for line in statement_text(owner.file, each))
    for each in owner.methods.values():
        for order, reading in pairwise(each.body):
            value = getattr(reading, "value", None)
            is_read = isinstance(value, ast.Call) and own_attribute(value.func) == method.name
            if is_read and isinstance(value, ast.Call) and _call_of_any(order) is not None:
                put = replaced(owner.file, [(value, owner.file.text_of(last.value))])
                yield (Edit(owner.file.path, BEFORE, lines, line=order.lineno), *put)


def _call_of_any(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement is."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call if isinstance(call, ast.Call) else None


def _without_input(source: Source, file: File, statement: ast.stmt) -> Candidate:
    """A program whose standard input is at its end, in place of a terminal that nothing is typed
    into: it is waited for, without a limit, where it asks for input.
    """
    writes = any(
        file.full_name(node.func) == "os.write"
        for each in source.chain
        for node in ast.walk(each.node)
        if isinstance(node, ast.Call)
    )
    for call in ast.walk(statement):
        if writes or not isinstance(call, ast.Call) or file.full_name(call.func) not in RUNNING:
            continue
        keywords = {each.arg for each in call.keywords}
        value = argument(call, "stdin")
        if keywords & {"input", "timeout", None} or not isinstance(call.func, ast.Attribute):
            continue
        nothing = f"{file.text_of(call.func.value)}.{NOWHERE}"
        if value is None and call.args:
            last = max((*call.args, *(k.value for k in call.keywords)), key=lambda n: n.col_offset)
            return replaced(file, [(last, f"{file.text_of(last)}, stdin={nothing}")])
        if value is not None and last_name(value) not in ("PIPE", NOWHERE):
            return replaced(file, [(value, nothing)])
    return ()


def _without_workers(source: Source, file: File, statement: ast.stmt) -> Candidate:
    """`for process in executor._processes.values(): process.kill()` where a block leaves an
    executor after a limit of the user's own: it waits for what goes on all the same. Python has a
    method for that from 3.14 on.
    """
    if not isinstance(statement, ast.With) or len(statement.items) != 1:
        return ()
    (item,) = statement.items
    name, last = item.optional_vars, statement.body[-1]
    if called(item.context_expr) != "ProcessPoolExecutor" or not isinstance(name, ast.Name):
        return ()
    nodes = [node for each in source.files.values() for node in ast.walk(each.tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    limited = any(
        called(node) == "wait_for" or any(each.arg == "timeout" for each in node.keywords)
        for node in calls
    )
    private = f"{name.id}._processes"
    if not limited or private in file.text_of(statement):
        return ()
    kill = (f"for process in {private}.values():", f"{STEP}process.kill()")
    if isinstance(last, ast.Return):
        lines = before_return(file, last, kill) if last.value is not None else ()
    else:
        lines = (*statement_text(file, last), *kill)
    return (instead(file, last, lines),) if lines else ()


def _put_if_room(source: Source, file: File, statement: ast.stmt) -> Candidate:
    """No wait in close() for room in a queue that nothing takes from."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if called(call) != "put" or not isinstance(call, ast.Call) or len(call.args) != 1:
        return ()
    assert isinstance(call.func, ast.Attribute)
    name = own_attribute(call.func.value)
    nodes = [node for each in source.files.values() for node in ast.walk(each.tree)]
    queues = [
        node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr in TAKES
    ]
    # A variable may be the queue, too.
    is_read = any(isinstance(each, ast.Name) or last_name(each) == name for each in queues)
    if not name or is_read or call.keywords:
        return ()
    text = file.text_of(call).replace(".put(", ".put_nowait(", 1)
    lines = ("with contextlib.suppress(queue.Full):  # nothing takes from it", f"    {text}")
    imports = () if "queue" in bound_names(file) else (Edit(file.path, TOP, ("import queue",)),)
    return (instead(file, statement, lines), *imports, *needed(file, lines))


def _discarded(source: Source) -> Iterator[Candidate]:
    """Edits of programs whose output goes into a pipe that nothing reads: it goes nowhere."""
    for owner in source.chain:
        for node in ast.walk(owner.node):
            for target, value in assignments(node):
                name = own_attribute(target)
                if not name or called(value) != "Popen" or not isinstance(value, ast.Call):
                    continue
                edits: list[Edit] = []
                for output, position in OUTPUTS.items():
                    pipe = _pipe(argument(value, output, position), owner)
                    unread = _without_close(source, name, output) if pipe is not None else None
                    if pipe is not None and unread is not None:
                        text = owner.file.text_of(pipe).replace("PIPE", NOWHERE)
                        edits += [*replaced(owner.file, [(pipe, text)]), *unread]
                yield tuple(edits)


def _pipe(value: ast.expr | None, owner: OwningClass) -> ast.Attribute | None:
    """The expression `subprocess.PIPE` that an argument is, or that the class has for it."""
    name = own_attribute(value)
    for node in owner.node.body if name else ():
        for target, made in assignments(node):
            if isinstance(target, ast.Name) and target.id == name:
                value = made
    is_pipe = isinstance(value, ast.Attribute) and owner.file.full_name(value) == PIPE
    return value if is_pipe and isinstance(value, ast.Attribute) else None


def _without_close(source: Source, name: str, output: str) -> list[Edit] | None:
    """Edits without the lines that close a pipe: there is none then. None where something reads it,
    or may be given the program.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        parents = {
            child: node for node in ast.walk(owner.node) for child in ast.iter_child_nodes(node)
        }
        for node in ast.walk(owner.node):
            if own_attribute(node) != name:
                continue
            outer = parents[node]
            if isinstance(outer, ast.Call | ast.Return | ast.withitem):
                return None
            if not isinstance(outer, ast.Attribute) or outer.attr not in (output, "communicate"):
                continue
            closing = parents[outer]
            is_test = isinstance(closing, ast.If | ast.IfExp | ast.BoolOp | ast.Compare)
            if is_test:
                continue
            statement = parents.get(parents[closing]) if outer.attr == output else None
            is_close = isinstance(closing, ast.Attribute) and closing.attr == "close"
            if not is_close or not isinstance(statement, ast.Expr):
                return None
            edits.append(removed(owner.file, statement))
    return list(dict.fromkeys(edits))


def _given_back(
    source: Source, owner: OwningClass, method: Function, block: list[ast.stmt]
) -> Iterator[Candidate]:
    """Edits of a method that give back to an object what was taken from it in the episode before:
    `self.world.destroy(self.car)` before `self.car = self.world.spawn()`.
    """
    for target, value in (pair for node in block for pair in assignments(node)):
        name, (holder, giving) = own_attribute(target), _giving(value, source)
        if name and giving:
            line = min(each.lineno for each in ast.walk(method) if _sets(each, name))
            text = f"self.{holder}.{giving}(self.{name})"
            lines = (f"if {source.held(name)} is not None:", f"    {text}")
            yield (Edit(owner.file.path, BEFORE, lines, owner.name, line=line),)


def _giving(value: ast.expr, source: Source) -> tuple[str, str]:
    """`world`, `destroy` for `self.world.spawn()`, where the class of the world has both."""
    function = value.func if isinstance(value, ast.Call) else None
    holder = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
    for _, made in source.assigned(holder) if holder else ():
        kind = made_class(source, made)
        if kind is not None and isinstance(function, ast.Attribute):
            return holder, counterpart(kind, function.attr)
    return "", ""


def _sets(node: ast.AST, name: str) -> TypeGuard[ast.stmt]:
    """Return True for a statement that gives an attribute a value."""
    return isinstance(node, ast.stmt) and name in {own_attribute(to) for to, _ in assignments(node)}
