"""Edits with which a method ends one object as close() does, before the next takes its place, and
with which it builds all anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.remedy import BEFORE, FIRST, INSTEAD, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    names_in,
    names_of_module,
    own_attribute,
    own_attributes,
)

REMOVING, CLEARING = ("delete", "destroy", "remove"), ("clear", "reset")
EMPTYING = (*CLEARING, *REMOVING, "release", "free", "empty", "purge", "flush", "evict")


def as_close_does(source: Source, attribute: str = "") -> Iterator[Candidate]:
    """Edits that put the block with which close() ends an attribute, or this one, or the call of a
    method that does, before the lines of other methods that give it a new one.
    """
    owner, close = source.method("close") or (None, None)
    for block in close.body if close is not None else ():
        assert owner is not None
        for name in {_ended_in(block, owner), _ended_by(block, source)} - {""}:
            if attribute not in ("", name):
                continue
            lines = statement_text(owner.file, block)
            edits = tuple(
                Edit(each.file.path, BEFORE, lines, each.name, line=statement.lineno)
                for each, statement in _renewed(name, source, _called_in(block))
                if each.file.path == owner.file.path
            )
            if edits:
                yield edits


def empty_as_close_does(source: Source) -> Iterator[Candidate]:
    """Edits with which reset() empties first what the constructor made, as close() does:
    `self.renderer.clear_cached_resources()`.
    """
    close, reset = source.method("close"), source.method("reset")
    if close is None or reset is None:
        return
    called_in_reset = {ast.unparse(node) for node in ast.walk(reset[1])}
    for statement in close[1].body:
        removed, part = _call_of_part(statement)
        text = ast.unparse(statement)
        is_plain = text == f"self.{part}.{removed}()" and source.has_at_once(part)
        if is_plain and removed.startswith(EMPTYING) and text not in called_in_reset:
            yield (Edit(reset[0].file.path, FIRST, (text,), reset[0].name, "reset"),)


def _ended_in(block: ast.stmt, owner: OwningClass) -> str:
    """`world` of `if self.world is not None:`, where the block below uses nothing else of the
    instance, and no variable.
    """
    if not isinstance(block, ast.If) or block.orelse:
        return ""
    attributes = own_attributes(block)
    name = attributes.pop() if len(attributes) == 1 else ""
    known = {"self", *names_of_module(owner.file)}
    calls = any(isinstance(node, ast.Call) for each in block.body for node in ast.walk(each))
    asks = ast.unparse(block.test) in (f"self.{name} is not None", f"self.{name}")
    return name if asks and calls and set(names_in(block)) <= known else ""


def _ended_by(block: ast.stmt, source: Source) -> str:
    """`sandbox` of `self._end()`, where that method uses `self.sandbox`, and no other attribute."""
    call = block.value if isinstance(block, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return ""
    _, method = source.method(own_attribute(call.func)) or (None, None)
    if method is None or method.name == "close":
        return ""
    attributes = own_attributes(method) - {method.name}
    return attributes.pop() if len(attributes) == 1 else ""


def _renewed(name: str, source: Source, calls: str) -> Iterator[tuple[OwningClass, ast.stmt]]:
    """Yield the statements that make a new one, whether there is one or not; `calls` is the method
    that ends the old one.
    """
    for method_name in dict.fromkeys(each for owner in source.chain for each in owner.methods):
        owner, method = source.method(method_name) or (None, None)
        if owner is None or method is None or method_name in (CONSTRUCTOR, "close"):
            continue
        for node in method.body:
            made = (own_attribute(target) for target, value in assignments(node) if called(value))
            if name in made and not _is_ended_before(name, node, method, calls):
                yield owner, node


def _called_in(block: ast.stmt) -> str:
    """`_end` of `self._end()`."""
    call = block.value if isinstance(block, ast.Expr) else None
    return own_attribute(call.func) if isinstance(call, ast.Call) else ""


def _is_ended_before(name: str, statement: ast.stmt, method: Function, calls: str) -> bool:
    """Return True if a line above calls close(), or what ends it, or sets the attribute."""
    above = method.body[: method.body.index(statement)]
    nodes = [node for each in above for node in ast.walk(each)]
    closes = any(
        own_attribute(node.func) == "close" for node in nodes if isinstance(node, ast.Call)
    ) or any(_called_in(each) == calls for each in above if calls)
    return closes or any(
        own_attribute(target) == name for node in nodes for target, _ in assignments(node)
    )


def build_anew(source: Source) -> Iterator[Candidate]:
    """Edits of a method that takes one part out of a simulation and loads it again, which keeps
    what the library has of the old one: all is cleared as close() does it, and built as the
    constructor does it.
    """
    close, made = source.method("close"), source.method(CONSTRUCTOR)
    for owner in source.chain:
        for method in owner.methods.values():
            first, rest = method.body[0], method.body[1:]
            removed, part = _call_of_part(first)
            if not (removed.startswith(REMOVING) and rest and close and made):
                continue
            clears = [each for each in close[1].body if _clears(each, part)]
            builds = [each for each in made[1].body if _does_all(each, rest, source)]
            if len(clears) == len(builds) == 1:
                lines = [ast.unparse(each) for each in (*clears, *builds)]
                end = rest[-1].end_lineno or rest[-1].lineno
                yield (Edit(owner.file.path, INSTEAD, tuple(lines), line=first.lineno, end=end),)


def _call_of_part(statement: ast.stmt) -> tuple[str, str]:
    """`removeBody`, `client` of `self.client.removeBody(self.robot)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if not isinstance(function, ast.Attribute) or not own_attribute(function.value):
        return "", ""
    return function.attr, own_attribute(function.value)


def _clears(statement: ast.stmt, part: str) -> bool:
    """Return True for `self.client.resetSimulation()`."""
    name, own = _call_of_part(statement)
    call = statement.value if isinstance(statement, ast.Expr) else None
    plain = isinstance(call, ast.Call) and not (call.args or call.keywords)
    return own == part and plain and name.startswith(CLEARING)


def _does_all(statement: ast.stmt, rest: Sequence[ast.stmt], source: Source) -> bool:
    """Return True for `self.build()`, where that method has each of these statements."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    plain = isinstance(call, ast.Call) and not (call.args or call.keywords)
    method = source.method(own_attribute(call.func)) if isinstance(call, ast.Call) else None
    body = set(map(ast.dump, method[1].body)) if method is not None and plain else set()
    return bool(body) and set(map(ast.dump, rest)) <= body
