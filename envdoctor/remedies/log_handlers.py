"""Edits with which close() takes a handler out of the logger that a constructor adds it to, and
closes it: loggers stay for good, and write each message once for every handler.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.environment_aims import Clear, Release
from envdoctor.model.errors import Frame
from envdoctor.model.kept_chains import LOG_HANDLERS
from envdoctor.model.remedy import BEFORE, FIRST, Edit
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    last_name,
    own_attribute,
    replaced,
)

OWN = "_handler"
OPENING = ("FileHandler", "RotatingFileHandler", "TimedRotatingFileHandler")
DELAY, BEFORE_DELAY = "delay", 3  # arguments


def release(aim: Release, source: Source) -> Iterator[Candidate]:
    """As `take_out`, where each place of an aim makes a handler."""
    statements = list(map(source.statement_at, aim.places))
    if statements and all(each is not None and _makes_handler(each) for each in statements):
        yield from take_out(source)


def clear(aim: Clear, source: Source) -> Iterator[Candidate]:
    """As `take_out`, where the handlers of a logger are what grows: of one by its name, or of one
    that a module keeps, as `arm.log.handlers`.
    """
    if LOG_HANDLERS.fullmatch(aim.chain) or aim.chain.endswith(".handlers"):
        yield from take_out(source)


def _makes_handler(statement: ast.stmt) -> bool:
    names = (called(node) for node in ast.walk(statement) if isinstance(node, ast.Call))
    return any(name.endswith("Handler") and name != "addHandler" for name in names)


def take_out(source: Source) -> Iterator[Candidate]:
    """Edits for every handler that the constructors of a class add to a logger; none where one of
    them is another's, or where its logger cannot be named in close().
    """
    edits: list[Edit] = []
    for owner in source.chain:
        method = owner.methods.get(CONSTRUCTOR)
        for node in ast.walk(method) if method else ():
            if isinstance(node, ast.Expr) and _adds(node.value):
                assert method is not None
                parts = _without_handler(source, owner, method, node)
                if not parts:
                    return
                edits += parts
    if edits:
        yield tuple(edits)


def _adds(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "addHandler"
        and len(node.args) == 1
    )


def _without_handler(
    source: Source, owner: OwningClass, method: Function, statement: ast.Expr
) -> Candidate:
    call = statement.value
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    logger = _named(call.func.value, owner.file, method)
    (handler,) = call.args
    name, edits = _kept(source, owner, method, statement, handler)
    if not logger or not name:
        return ()
    lines = (f"{logger}.removeHandler(self.{name})", f"self.{name}.close()")
    return (*edits, Edit(owner.file.path, FIRST, lines, owner.name, "close"))


def _kept(
    source: Source, owner: OwningClass, method: Function, statement: ast.Expr, handler: ast.expr
) -> tuple[str, Candidate]:
    """The attribute of a handler, and the edits that make it one; nothing where it is another's."""
    own = own_attribute(handler)
    if own and "." not in own:
        return own, ()
    if OWN in _attributes(source):
        return "", ()
    if isinstance(handler, ast.Call):
        line = f"self.{OWN} = {owner.file.text_of(handler)}"
        above = Edit(owner.file.path, BEFORE, (line,), owner.name, line=statement.lineno)
        edits = replaced(owner.file, [(handler, f"self.{OWN}")])
        return (OWN, (above, *edits)) if edits else ("", ())
    made = [
        target
        for node in ast.walk(method)
        for target, value in assignments(node)
        if isinstance(target, ast.Name) and isinstance(handler, ast.Name)
        if target.id == handler.id and isinstance(value, ast.Call)
    ]
    if len(made) != 1:
        return "", ()
    (target,) = made
    assert isinstance(target, ast.Name)
    return OWN, replaced(owner.file, [(target, f"{target.id} = self.{OWN}")])


def _attributes(source: Source) -> set[str]:
    return {
        own_attribute(node)
        for owner in source.chain
        for node in ast.walk(owner.node)
        if isinstance(node, ast.Attribute)
    }


def _named(logger: ast.expr, file: File, method: Function) -> str:
    """The expression for a logger that close() can use as well; nothing where there is none."""
    if own_attribute(logger) or isinstance(logger, ast.Call):
        return _expression(logger, file)
    if not isinstance(logger, ast.Name):
        return ""
    local = [
        value
        for node in ast.walk(method)
        for target, value in assignments(node)
        if isinstance(target, ast.Name) and target.id == logger.id
    ]
    if local:
        return _expression(local[0], file) if len(local) == 1 else ""
    of_module = any(
        isinstance(target, ast.Name) and target.id == logger.id
        for node in file.tree.body
        for target, _ in assignments(node)
    )
    return logger.id if of_module else ""


def _expression(logger: ast.expr, file: File) -> str:
    """An attribute of the instance, or `logging.getLogger("arm")` with a name that is written
    there.
    """
    if not isinstance(logger, ast.Call):
        return file.text_of(logger) if own_attribute(logger) else ""
    fixed = (
        isinstance(each, ast.Constant) or (isinstance(each, ast.Name) and each.id == "__name__")
        for each in logger.args
    )
    is_known = file.full_name(logger.func) == "logging.getLogger" and all(fixed)
    return file.text_of(logger) if is_known and not logger.keywords else ""


def delay_log_files(places: Sequence[Frame], source: Source) -> Iterator[Edit]:
    """Edits with which handlers that these lines make, or else a constructor, open their files when
    something is written: `logging.FileHandler(path, delay=True)`. None where a line makes something
    else.
    """
    known = [(source.files.get(each.file), source.statement_at(each)) for each in places]
    made = [
        (owner.file, statement)
        for owner in source.chain
        for statement in getattr(owner.methods.get(CONSTRUCTOR), "body", ())
        if _opening(owner.file, statement)
    ]
    parts = [
        (file, call)
        for file, statement in known or made
        for call in (_opening(file, statement) if file and statement else ()) or [None]
    ]
    for file, call in parts if all(call is not None for _, call in parts) else ():
        if file is not None and call is not None:
            yield from replaced(file, [(call, f"{file.text_of(call)[:-1]}, {DELAY}=True)")])


def _opening(file: File, statement: ast.stmt) -> list[ast.Call | None]:
    """The calls in a statement that make a handler which opens its file at once."""
    return [
        node
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and last_name(node.func) in OPENING
        if file.full_name(node.func).startswith("logging.") and len(node.args) <= BEFORE_DELAY
        if DELAY not in {each.arg for each in node.keywords}
    ]
