"""Reading a line that takes something: which attribute holds it, and what made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.remedies.source import (
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    last_name,
    own_attribute,
)

Lines = tuple[str, ...]
MAKES_FOLDER = ("mkdir", "makedirs")


@dataclass(frozen=True)
class AcquiredResource:
    """One line that takes: where it is, the attributes that hold what it took (`log`, or
    `handles.log`), the expression that made it, and whether the attribute holds several in a list,
    or in a dict (`keyed`). `maker` is the file of a function that the line calls, where another one
    makes it.
    """

    owner: OwningClass
    method: Function
    statement: ast.stmt
    attributes: Lines
    value: ast.expr | None
    several: bool = False
    keyed: bool = False
    maker: File | None = None

    @property
    def call(self) -> str:
        """`subprocess.Popen`, the full name of what was called."""
        file = self.maker or self.owner.file
        return file.full_name(self.value.func) if isinstance(self.value, ast.Call) else ""


def read_acquisition(
    source: Source, owner: OwningClass, method: Function, statement: ast.stmt
) -> AcquiredResource | None:
    """Return the resource that a statement acquires, and the attribute of the instance that holds
    it.
    """
    if executor := _of_executor(source, statement):
        return executor
    for target, value in assignments(statement):
        names = [_path(each) for each in parts(target)]
        if any(names):
            paths = tuple(filter(None, names))
            inner = _inner(value)
            keyed = isinstance(value, ast.DictComp | ast.Dict)
            several = inner is not value
            return AcquiredResource(owner, method, statement, paths, inner, several, keyed)
        name = own_attribute(target.value) if isinstance(target, ast.Subscript) else ""
        if name:
            keyed = any(_makes_dict(made) for _, made in source.assigned(name))
            return AcquiredResource(owner, method, statement, (name,), value, True, keyed)
        if isinstance(target, ast.Name):  # a local name that an attribute is set to
            for paths, made in _set_to(method, target.id, value):
                return AcquiredResource(owner, method, statement, paths, made)
            return _appended(owner, method, statement, target.id, value)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return _of_call(source, owner, method, statement, statement.value)
    if isinstance(statement, ast.With):
        return AcquiredResource(owner, method, statement, (), statement.items[0].context_expr)
    return None


def _of_executor(source: Source, statement: ast.stmt) -> AcquiredResource | None:
    """The executor of an attribute that a statement gives work to, whose threads begin then; as its
    own line makes it.
    """
    for name in {own_attribute(node) for node in ast.walk(statement)} - {""}:
        for holder, value in source.assigned(name):
            place = Frame(holder.file.path, value.lineno)
            around, made = source.around(place), source.statement_at(place)
            if called(value).endswith("Executor") and around and made and made is not statement:
                return AcquiredResource(around[0], around[1], made, (name,), value)
    return None


def _inner(value: ast.expr) -> ast.expr:
    """Return the expression of one element of a list or dict; other values as they are."""
    if isinstance(value, ast.ListComp):
        return value.elt
    if isinstance(value, ast.DictComp):
        return value.value
    if isinstance(value, ast.List) and value.elts:
        return value.elts[0]
    return value.values[0] if isinstance(value, ast.Dict) and value.values else value


def _makes_dict(value: ast.expr) -> bool:
    kinds = ("dict", "OrderedDict", "defaultdict")
    return isinstance(value, ast.Dict | ast.DictComp) or called(value) in kinds


def _path(target: ast.expr) -> str:
    """`log` of `self.log`, and `handles.log` of `self.handles.log`."""
    if isinstance(target, ast.Attribute) and (outer := own_attribute(target.value)):
        return f"{outer}.{target.attr}"
    return own_attribute(target)


def acquired_by_function(
    source: Source, frame: Frame, statement: ast.stmt
) -> Iterator[AcquiredResource]:
    """Yield the resources that the environment gets from a function: `self.log =
    open_log(path)`.
    """
    file = source.files[frame.file]
    function = next(
        (
            node
            for node in file.tree.body
            if isinstance(node, ast.FunctionDef)
            and node.lineno <= frame.line <= (node.end_lineno or node.lineno)
        ),
        None,
    )
    value = _returned(function, statement) if function else None
    if function is None or value is None:
        return
    for owner in source.chain:
        for method in owner.methods.values():
            for node in ast.walk(method):
                if not isinstance(node, ast.Assign) or called(node.value) != function.name:
                    continue
                read = read_acquisition(source, owner, method, node)
                if read and read.attributes and not read.several:
                    yield replace(read, value=value, maker=file)


def _returned(function: ast.FunctionDef, statement: ast.stmt) -> ast.Call | None:
    """The call of a statement whose value the function returns."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call) or isinstance(statement, ast.Return):
        return value if isinstance(value, ast.Call) else None
    names = {target.id for target, _ in assignments(statement) if isinstance(target, ast.Name)}
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    is_always_returned = all(isinstance(each, ast.Name) and each.id in names for each in returns)
    return value if returns and is_always_returned else None


def _of_call(
    source: Source, owner: OwningClass, method: Function, statement: ast.stmt, call: ast.Call
) -> AcquiredResource | None:
    """`self.thread.start()`, `self.threads.append(Thread())`, `Path(self.file).write_text()`,
    `os.makedirs(self.folder)`.
    """
    function = call.func
    name = own_attribute(function.value) if isinstance(function, ast.Attribute) else ""
    folder = name or own_attribute(call.args[0] if call.args else None)
    if last_name(function) in MAKES_FOLDER and folder:
        return AcquiredResource(owner, method, statement, (folder,), call)
    if not name:
        return AcquiredResource(owner, method, statement, (), call)
    assert isinstance(function, ast.Attribute)
    if function.attr == "append" and call.args:
        return AcquiredResource(owner, method, statement, (name,), call.args[0], several=True)
    values = [value for _, value in source.assigned(name) if is_call(value)]
    return AcquiredResource(owner, method, statement, (name,), values[0] if values else None)


def _set_to(method: Function, local: str, value: ast.expr) -> Iterator[tuple[Lines, ast.expr]]:
    """The attributes that get a local value, or the path of a file in the folder of that name, and
    what is in them.
    """
    for node in ast.walk(method):
        for target, alias in assignments(node):
            made = value if last_name(alias) == local else _in_path(alias, local, value)
            if made is not None and _path(target) and not isinstance(alias, ast.Attribute):
                yield (_path(target),), made


def _in_path(path: ast.expr, name: str, value: ast.expr) -> ast.expr | None:
    """`os.path.join(tempfile.mkdtemp(), "log")` of `os.path.join(folder, "log")`, and of
    `folder / "log"` such a quotient, where a name has that value.
    """
    args = path.args if isinstance(path, ast.Call) and called(path) == "join" else []
    if isinstance(path, ast.Call) and args and last_name(args[0]) == name:
        return ast.Call(path.func, [value, *args[1:]], path.keywords)
    if isinstance(path, ast.BinOp) and last_name(path.left) == name:
        return ast.BinOp(value, path.op, path.right)
    return None


def _appended(
    owner: OwningClass, method: Function, statement: ast.stmt, local: str, value: ast.expr
) -> AcquiredResource | None:
    """`worker = Process(); self.workers.append(worker)`."""
    for node in ast.walk(method):
        if isinstance(node, ast.Call) and last_name(node.func) == "append" and node.args:
            assert isinstance(node.func, ast.Attribute)
            name = own_attribute(node.func.value)
            if name and ast.unparse(node.args[0]) == local:
                return AcquiredResource(owner, method, statement, (name,), value, several=True)
    return None


def parts(target: ast.expr) -> list[ast.expr]:
    """The parts of a target: those of a tuple, or itself."""
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def is_call(value: ast.expr | None) -> bool:
    """Return True if it is a call."""
    return isinstance(value, ast.Call)


def fills_gap(method: Function, statement: ast.stmt, attribute: str) -> bool:
    """Return whether a statement is below `if self.link is None:`, where no old one can be."""
    empty = {
        *(f"self.{attribute} is None", f"not self.{attribute}"),
        *(f"not hasattr(self, {attribute!r})", f"getattr(self, {attribute!r}, None) is None"),
    }
    for node in ast.walk(method):
        if isinstance(node, ast.If) and any(
            each is statement for body in node.body for each in ast.walk(body)
        ):
            test = node.test
            is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
            operands = test.values if isinstance(test, ast.BoolOp) and is_and else [test]
            if empty & set(map(ast.unparse, operands)):
                return True
    return False
