"""Edits with which step() returns what it sees after the step, not what reset() has seen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.failure_aims import ReadLast
from envdoctor.model.remedy import INSTEAD, Edit
from envdoctor.remedies.returning import returns_of
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    own_attribute,
    own_attributes,
    replaced,
)

LAST = "-1"


def read_last(_aim: ReadLast, source: Source) -> Iterator[Candidate]:
    """Edits of the method whose result step() returns as its observation: it reads the last of what
    step() appends, in place of the first; or what another line of the class reads from the same
    method of an object that it holds.
    """
    for owner, method in _observing(source):
        yield replaced(owner.file, list(_last_of_list(source, method)))
        for node in ast.walk(method):
            if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
                yield _as_another_line(source, owner, method, node)


def _observing(source: Source) -> Iterator[tuple[OwningClass, Function]]:
    """step(), and the methods that it returns the observation of."""
    step = source.method("step")
    if step is None:
        return
    yield step
    named = dict[str, ast.expr]()
    for node in ast.walk(step[1]):
        named.update({each.id: value for each, value in assignments(node) if hasattr(each, "id")})
    for node in returns_of(step[1]):
        values = node.value.elts if isinstance(node.value, ast.Tuple) else []
        value = values[0] if values else None
        value = named.get(value.id) if isinstance(value, ast.Name) else value
        made = source.method(own_attribute(value.func)) if isinstance(value, ast.Call) else None
        if made is not None:
            yield made


def _last_of_list(source: Source, method: Function) -> Iterator[tuple[ast.expr, str]]:
    """`self.frames[0]` of a list that step(), or a method that it calls, appends to."""
    step = source.method("step")
    called_by_step = own_attributes(step[1]) if step else set[str]()
    methods = [step, *(source.method(each) for each in called_by_step)]
    added = {
        own_attribute(node.func.value)
        for each in methods
        for node in (ast.walk(each[1]) if each else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr == "append"
    }
    for node in ast.walk(method):
        place = node.slice if isinstance(node, ast.Subscript) else None
        is_first = isinstance(place, ast.Constant) and place.value == 0
        if (
            isinstance(node, ast.Subscript)
            and is_first
            and own_attribute(node.value) in added - {""}
        ):
            yield node.slice, LAST


def _as_another_line(
    source: Source, owner: OwningClass, method: Function, call: ast.Call
) -> Candidate:
    """`self.simulator.x(self.simulator.now)` for `self.simulator.x(0)`, as another line has it; and
    for `self.simulator.x(frame)`, where nothing gives the method a frame other than its default 0.
    """
    file, (argument,) = owner.file, call.args
    function = file.text_of(call.func)
    if not function.startswith("self.") or function.count(".") != 2:
        return ()
    name = argument.id if isinstance(argument, ast.Name) else ""
    is_first = isinstance(argument, ast.Constant) and argument.value == 0
    if not (is_first or _is_always_first(source, method, name)):
        return ()
    others = {
        each.file.text_of(node.args[0])
        for each in source.chain
        for node in ast.walk(each.node)
        if isinstance(node, ast.Call) and len(node.args) == 1 and node is not call
        if each.file.text_of(node.func) == function and _is_of_self(node.args[0])
    }
    if len(others) != 1:
        return ()
    texts: list[tuple[ast.expr | ast.arg, str]] = [(argument, others.pop())]
    return (*replaced(file, texts), *(_without_argument(file, method) if name else ()))


def _is_always_first(source: Source, method: Function, name: str) -> bool:
    """Return True where the one argument of a method has the default 0, and no call gives it."""
    names = [each.arg for each in method.args.args]
    defaults = [each.value for each in method.args.defaults if isinstance(each, ast.Constant)]
    if names != ["self", name] or defaults != [0]:
        return False
    uses = sum(isinstance(node, ast.Name) and node.id == name for node in ast.walk(method))
    return uses == 1 and not any(
        called(node) == method.name and (node.args or node.keywords)
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call)
    )


def _is_of_self(value: ast.expr) -> bool:
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    return names == {"self"} and not any(isinstance(node, ast.Call) for node in ast.walk(value))


def _without_argument(file: File, method: Function) -> Candidate:
    """`def observe(self):` for `def observe(self, frame=0):`, where that is all of the line."""
    argument, default = method.args.args[1], method.args.defaults[0]
    plain = f"def {method.name}(self, {argument.arg}={file.text_of(default)}):"
    is_plain = file.lines[method.lineno - 1].strip() == plain
    line = (f"def {method.name}(self):",)
    return (Edit(file.path, INSTEAD, line, line=method.lineno),) if is_plain else ()
