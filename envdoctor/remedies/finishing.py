"""Edits that end what a method makes for itself alone, and never ends."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.holding import made_class
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    block_of,
    instead,
    last_name,
    name_of_made,
    own_attribute,
    uses,
)
from envdoctor.remedies.telling import ending_method

CHILDREN = ("os.posix_spawn", "os.posix_spawnp")
READS = ("read", "readlines", "recv")
GONE = "with contextlib.suppress(ChildProcessError):"  # another line may have waited for it


def finish(place: Frame, source: Source) -> Iterator[Candidate]:
    """Edits that end what the line of a method makes, at the end of its block. None where something
    else may keep it.
    """
    around, statement = source.around(place), source.statement_at(place)
    if around is None or statement is None or not name_of_made(statement):
        return
    owner, method = around
    name, block = name_of_made(statement), block_of(statement, method)
    after = block[block.index(statement) + 1 :] if block else []
    if not block:
        return
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Call)
    lines = _ending_lines(name, statement.value, owner.file, source, after)
    last = block[-1]
    if not lines or (isinstance(last, ast.Return) and uses(last, name)):
        return
    if _escapes(name, method, statement, lines):
        return
    leaves = isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)
    line = last.lineno if leaves else (last.end_lineno or last.lineno)
    edit = _before(owner, line, lines) if leaves else _after(owner, last, lines)
    yield (edit, *needed(owner.file, lines))


def made_by(makers: list[str], source: Source) -> Iterator[Frame]:
    """Yield the lines of the environment's methods in which an object of the module makes something
    for a variable: `polygons = BATCH.vertex_list(100)`.
    """
    for owner in source.chain:
        for node in ast.walk(owner.node):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            function = node.value.func
            if isinstance(function, ast.Attribute) and last_name(function.value) in makers:
                yield Frame(owner.file.path, node.lineno)


def _before(owner: OwningClass, line: int, lines: tuple[str, ...]) -> Edit:
    return Edit(owner.file.path, BEFORE, lines, owner.name, line=line)


def _after(owner: OwningClass, last: ast.stmt, lines: tuple[str, ...]) -> Edit:
    """The statement itself, and the lines below it."""
    return instead(owner.file, last, (*statement_text(owner.file, last), *lines))


def _ending_lines(
    name: str, call: ast.Call, file: File, source: Source, after: list[ast.stmt]
) -> tuple[str, ...]:
    """The statements that end what a call has made; none where they are not known, or there."""
    kind, function = made_class(source, call), file.full_name(call.func)
    if function in (*CHILDREN, "subprocess.Popen") and not _calls(after, *READS):
        return ()  # it may run on
    if function in CHILDREN:
        if _calls(after, "waitpid"):
            return (GONE, f"    os.waitpid({name}, 0)")
        return (f"os.waitpid({name}, 0)",)
    if function == "subprocess.Popen":
        return () if _calls(after, "wait", "communicate") else (f"{name}.wait()",)
    if kind is not None and (ending := ending_method(kind)):
        return (f"{name}.{ending}()",)
    return _returned_to_maker(name, call, file, source, after)


def _calls(statements: list[ast.stmt], *names: str) -> bool:
    return any(
        isinstance(node, ast.Call) and last_name(node.func) in names
        for statement in statements
        for node in ast.walk(statement)
    )


def _returned_to_maker(
    name: str, call: ast.Call, file: File, source: Source, after: list[ast.stmt]
) -> tuple[str, ...]:
    """The call of the method that takes out of an object what another method of it has put in:
    `BATCH.delete(polygons)` of `polygons = BATCH.vertex_list(100)`.
    """
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return ()
    maker = call.func.value.id
    for node in file.tree.body:
        for target, value in assignments(node):
            kind = made_class(source, value) if last_name(target) == maker else None
            giving = counterpart(kind, call.func.attr) if kind is not None else ""
            if kind is None or not giving:
                continue
            if not (_calls(after, giving) and _calls([kind.methods[giving]], "remove")):
                return (f"{maker}.{giving}({name})",)
    return ()


def counterpart(kind: OwningClass, taking: str) -> str:
    """The method of a class that takes its one argument out of what the other one puts it into."""
    kept = _put_into(kind.methods[taking]) if taking in kind.methods else set()
    for method in kind.methods.values():
        takes_one = len(method.args.args) == 2 and method.name != taking
        if takes_one and kept & _removed_by(method):
            return method.name
    return ""


def _put_into(method: Function) -> set[str]:
    """The containers of an instance that a method puts something into."""
    added = {
        own_attribute(node.func.value)
        for node in ast.walk(method)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in ("append", "add")
    }
    stored = {
        own_attribute(target.value)
        for node in ast.walk(method)
        for target, _ in assignments(node)
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice)
    }
    return (added | stored) - {""}


def _removed_by(method: Function) -> set[str]:
    """The containers that a method takes its one argument out of, or empties at that key."""
    argument = method.args.args[1].arg
    removed: set[str] = set()
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            names = [each.id for each in node.args if isinstance(each, ast.Name)]
            if node.func.attr in ("remove", "discard", "pop") and argument in names[:1]:
                removed.add(own_attribute(node.func.value))
        for entry in node.targets if isinstance(node, ast.Delete) else ():
            removed.add(_at_key(entry, argument))
        for target, value in assignments(node):
            container = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(value, ast.ListComp) and _leaves_out(value, argument):
                removed.add(own_attribute(container))
            if isinstance(value, ast.Constant) and value.value is None:
                removed.add(_at_key(target, argument))
    return removed - {""}


def _at_key(target: ast.expr, key: str) -> str:
    """`places` of `self.places[key]`."""
    is_entry = isinstance(target, ast.Subscript) and last_name(target.slice) == key
    return own_attribute(target.value) if is_entry and isinstance(target, ast.Subscript) else ""


def _leaves_out(value: ast.ListComp, argument: str) -> bool:
    """Return True for `[each for each in self.lists if each is not argument]`."""
    return any(
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.IsNot | ast.NotEq)
        and uses(test, argument) == 1
        for generator in value.generators
        for test in generator.ifs
    )


def _escapes(name: str, method: Function, made: ast.stmt, ending: tuple[str, ...]) -> bool:
    """Return True where something else may keep what a variable holds: it is returned, stored,
    bound anew, given to a function that is not Python's own, or used in an inner function.
    """
    parents = {child: node for node in ast.walk(method) for child in ast.iter_child_nodes(node)}
    inside = set(ast.walk(made))
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and node not in inside
        and not _is_harmless(node, parents, ending)
        for node in ast.walk(method)
    )


def _is_harmless(node: ast.Name, parents: dict[ast.AST, ast.AST], ending: tuple[str, ...]) -> bool:
    if not isinstance(node.ctx, ast.Load):
        return False
    outer = parents[node]
    while outer in parents:
        if isinstance(outer, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        outer = parents[outer]
    parent = parents[node]
    return isinstance(parent, ast.Attribute | ast.Subscript | ast.Compare) or (
        isinstance(parent, ast.Call) and (_is_pythons(parent.func) or ast.unparse(parent) in ending)
    )


def _is_pythons(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return hasattr(builtins, function.id)
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "os"
