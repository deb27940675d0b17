"""Reading a line that takes something: which attribute holds it, and what made it."""

from __future__ import annotations

import ast

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.remedies.source import Function, Owner, Source, assignments, last_name, own_attribute

Lines = tuple[str, ...]


@dataclass(frozen=True)
class Acquisition:
    """One line that takes: where it is, the attributes that hold what it took, the expression that
    made it, and whether the attribute holds several in a list.
    """

    owner: Owner
    method: Function
    statement: ast.stmt
    attributes: Lines
    value: ast.expr | None
    several: bool = False

    @property
    def call(self) -> str:
        """`subprocess.Popen`, the full name of what was called."""
        value = self.value
        return self.owner.file.full_name(value.func) if isinstance(value, ast.Call) else ""


def read_acquisition(
    source: Source, owner: Owner, method: Function, statement: ast.stmt
) -> Acquisition | None:
    """What a statement takes, and which attribute of the instance holds it."""
    for target, value in assignments(statement):
        names = [own_attribute(one) for one in parts(target)]
        if any(names):
            several = isinstance(value, ast.ListComp | ast.List)
            inner = value.elt if isinstance(value, ast.ListComp) else value
            if isinstance(value, ast.List) and value.elts:
                inner = value.elts[0]
            kept = tuple(filter(None, names))
            return Acquisition(owner, method, statement, kept, inner, several)
        if isinstance(target, ast.Name):  # a local name that an attribute is set to
            for node in ast.walk(method):
                for attribute, alias in assignments(node):
                    if ast.unparse(alias) == target.id and own_attribute(attribute):
                        return Acquisition(
                            owner, method, statement, (own_attribute(attribute),), value
                        )
            return _appended(owner, method, statement, target.id, value)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _of_call(source, owner, method, statement, statement.value)
    if isinstance(statement, ast.With):
        return Acquisition(owner, method, statement, (), statement.items[0].context_expr)
    return None


def _of_call(
    source: Source, owner: Owner, method: Function, statement: ast.stmt, call: ast.Call
) -> Acquisition | None:
    """`self.thread.start()`, `self.threads.append(Thread())`, `Path(self.file).write_text()`."""
    function = call.func
    name = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
    if not name:
        return Acquisition(owner, method, statement, (), call)
    assert isinstance(function, ast.Attribute)
    if function.attr == "append" and call.args:
        return Acquisition(owner, method, statement, (name,), call.args[0], several=True)
    values = [value for _, value in source.assigned(name) if is_call(value)]
    return Acquisition(owner, method, statement, (name,), values[0] if values else None)


def _appended(
    owner: Owner, method: Function, statement: ast.stmt, local: str, value: ast.expr
) -> Acquisition | None:
    """`worker = Process(); self.workers.append(worker)`."""
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and last_name(node.func) == "append" and node.args:
            assert isinstance(node.func, ast.Attribute)
            name = own_attribute(node.func.value)
            if name and ast.unparse(node.args[0]) == local:
                return Acquisition(owner, method, statement, (name,), value, several=True)
    return None


def parts(target: ast.expr) -> list[ast.expr]:
    """The parts of a target: those of a tuple, or itself."""
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def is_call(value: ast.expr | None) -> bool:
    """Whether it is a call."""
    return isinstance(value, ast.Call)
