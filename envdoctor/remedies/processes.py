"""Edits with which close() waits for the processes that it kills, and ends those of a shell."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.discovery.syntax import argument
from envdoctor.model.environment_aims import WaitForKilled
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.calls import BOUND
from envdoctor.remedies.needing import needed
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
    own_attribute,
    replaced,
)

ENDS = ("kill", "terminate")
ASKS = ("wait", "communicate", "join", "poll")
WAITS = {"Popen": "wait", "Process": "join"}


def wait_for_killed(_aim: WaitForKilled, source: Source) -> Iterator[Candidate]:
    """Edits that wait for each process of an attribute, or of a variable, that is ended and not
    waited for in the same block; else for those of what the environment holds. What is only asked
    to end is waited for a bounded time.
    """
    own = tuple(_waits_of(source))
    if own:
        yield own
    else:
        yield tuple(dict.fromkeys(edit for held in _held(source) for edit in _waits_of(held)))


def _waits_of(source: Source) -> Iterator[Edit]:
    for owner in source.chain:
        for method in owner.methods.values():
            for block in blocks(method):
                yield from _waits_in(block, method, owner.file, source)


def _held(source: Source) -> Iterator[Source]:
    """The classes of the user's own whose instances the environment keeps in attributes."""
    nodes = (node for owner in source.chain for node in ast.walk(owner.node))
    for target, value in (pair for node in nodes for pair in assignments(node)):
        made = source.class_made_by(value) if own_attribute(target) else None
        if made is not None:
            yield source.of(made.name)


def _waits_in(
    block: list[ast.stmt], method: Function, file: File, source: Source
) -> Iterator[Edit]:
    for at, statement in enumerate(block):
        holder, ending = _ended(statement)
        wait = _wait_of(source, method, holder)
        call = "" if ending == "kill" else f"timeout={BOUND}"
        after = block[at + 1 :]
        if not call:  # what is waited for under a condition may not be
            after = [each for each in after if not isinstance(each, ast.If)]
        if wait and not _is_asked(holder, after):
            lines = (*statement_text(file, statement), f"{holder}.{wait}({call})")
            yield instead(file, statement, lines)


def _ended(statement: ast.stmt) -> tuple[str, str]:
    """`self.server`, `kill` of `self.server.kill()`; `server` of a variable."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr not in ENDS:
        return "", ""
    is_known = own_attribute(function.value) or isinstance(function.value, ast.Name)
    return (ast.unparse(function.value), function.attr) if is_known else ("", "")


def _wait_of(source: Source, method: Function, holder: str) -> str:
    """The method that waits for the process that an attribute, or a variable of a method, holds."""
    values = [value for _, value in source.assigned(holder.removeprefix("self."))]
    if "." not in holder:
        pairs = (pair for node in ast.walk(method) for pair in assignments(node))
        values = [value for target, value in pairs if ast.unparse(target) == holder]
    kinds = {called(value) for value in values}
    return next((wait for kind, wait in WAITS.items() if kind in kinds), "")


def _is_asked(holder: str, statements: Sequence[ast.stmt]) -> bool:
    """Return True if one of the statements waits for the process, or asks whether it has ended."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ASKS
        and ast.unparse(node.func.value) == holder
        for statement in statements
        for node in ast.walk(statement)
    )


SIGNALS = {"terminate": "signal.SIGTERM", "kill": "signal.SIGKILL"}


def end_group(place: Frame, source: Source) -> Iterator[Candidate]:
    """Edits with which a shell leads a group of processes, and the methods that end the shell end
    its group.
    """
    around, statement = source.around(place), source.statement_at(place)
    if around is None or statement is None:
        return
    owner, method = around
    call = next((node for node in ast.walk(statement) if _is_shell(node)), None)
    if call is None:
        return
    assert isinstance(call, ast.Call)
    names = set(_holders(statement, call, method, source))
    endings = [edit for each in source.chain for edit in _endings(each, names)]
    begun = f"{owner.file.text_of(call)[:-1].rstrip().rstrip(',')}, start_new_session=True)"
    leading = replaced(owner.file, [(call, begun)])
    if endings and leading:
        yield (*leading, *dict.fromkeys(endings))


def _is_shell(node: ast.AST) -> bool:
    """Return True for a Popen of a shell that stays in the group of its parent."""
    if called(node) != "Popen" or not isinstance(node, ast.Call):
        return False
    own = {"start_new_session", "preexec_fn", "process_group"}
    shell = argument(node, "shell", 8)
    is_plain = own.isdisjoint(str(keyword.arg) for keyword in node.keywords)
    return is_plain and isinstance(shell, ast.Constant) and shell.value is True


def _holders(
    statement: ast.stmt, call: ast.Call, maker: Function, source: Source
) -> Iterator[tuple[str, str]]:
    """Yield what holds the shell that a statement makes, or returns: ("", "self.shell"), or a
    variable and its method, ("run", "shell"), also that of a method that is given it.
    """
    methods = [method for each in source.chain for method in each.methods.values()]
    for method in methods:
        for node in ast.walk(method):
            for target, value in assignments(node):
                is_returned = isinstance(statement, ast.Return) and called(value) == maker.name
                if value is not call and not is_returned:
                    continue
                if own_attribute(target):
                    yield "", ast.unparse(target)
                elif isinstance(target, ast.Name):
                    yield method.name, target.id
                    yield from _as_arguments(method, target.id, methods)


def _as_arguments(
    method: Function, name: str, methods: Sequence[Function]
) -> Iterator[tuple[str, str]]:
    """Yield the arguments that methods get a variable of this one as: `self.kill(process)`."""
    for call in (node for node in ast.walk(method) if isinstance(node, ast.Call)):
        names = [each.id if isinstance(each, ast.Name) else "" for each in call.args]
        for other in methods if name in names else ():
            arguments = [each.arg for each in other.args.args[1:]]
            if own_attribute(call.func) == other.name and len(arguments) == len(names):
                yield other.name, arguments[names.index(name)]


def _endings(owner: OwningClass, holders: set[tuple[str, str]]) -> Iterator[Edit]:
    """The calls of terminate() and kill() that become signals to the whole group."""
    for method in owner.methods.values():
        for node in ast.walk(method):
            shell, signal = _signal(node)
            if signal and not holders.isdisjoint({("", shell), (method.name, shell)}):
                assert isinstance(node, ast.stmt)
                lines = (
                    "with contextlib.suppress(ProcessLookupError):",
                    f"    os.killpg({shell}.pid, {signal})",
                )
                yield instead(owner.file, node, lines)
                yield from needed(owner.file, lines)


def _signal(node: ast.AST) -> tuple[str, str]:
    """The text of the shell and the signal of `self.shell.kill()`; two empty ones for others."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return "", ""
    return ast.unparse(call.func.value), SIGNALS.get(call.func.attr, "")
