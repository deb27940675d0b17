"""Edits with which a method ends one object as close() does, before the next takes its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.reopening import names_of_module
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Function,
    OwningClass,
    Source,
    assignments,
    called,
    names_in,
    own_attribute,
)

Candidate = tuple[Edit, ...]


def as_close_does(source: Source) -> Iterator[Candidate]:
    """Edits that put the block with which close() ends an attribute before the lines of other
    methods that give it a new one.
    """
    owner, close = source.method("close") or (None, None)
    for block in close.body if close is not None else ():
        assert owner is not None
        name = _ended_in(block, owner)
        if name:
            lines = statement_text(owner.file, block)
            edits = tuple(
                Edit(each.file.path, BEFORE, lines, each.name, line=statement.lineno)
                for each, statement in _renewed(name, source)
                if each.file.path == owner.file.path
            )
            if edits:
                yield edits


def _ended_in(block: ast.stmt, owner: OwningClass) -> str:
    """`world` of `if self.world is not None:`, where the block below uses nothing else of the
    instance, and no variable.
    """
    if not isinstance(block, ast.If) or block.orelse:
        return ""
    attributes = {own_attribute(node) for node in ast.walk(block)} - {""}
    name = attributes.pop() if len(attributes) == 1 else ""
    known = {"self", *names_of_module(owner.file)}
    calls = any(isinstance(node, ast.Call) for each in block.body for node in ast.walk(each))
    asks = ast.unparse(block.test) in (f"self.{name} is not None", f"self.{name}")
    return name if asks and calls and set(names_in(block)) <= known else ""


def _renewed(name: str, source: Source) -> Iterator[tuple[OwningClass, ast.stmt]]:
    """Yield the statements that make a new one, whether there is one or not."""
    for method_name in dict.fromkeys(each for owner in source.chain for each in owner.methods):
        owner, method = source.method(method_name) or (None, None)
        if owner is None or method is None or method_name in (CONSTRUCTOR, "close"):
            continue
        for node in method.body:
            made = (own_attribute(target) for target, value in assignments(node) if called(value))
            if name in made and not _is_ended_before(name, node, method):
                yield owner, node


def _is_ended_before(name: str, statement: ast.stmt, method: Function) -> bool:
    """Return True if a line above calls close(), or puts None into the attribute."""
    above = method.body[: method.body.index(statement)]
    nodes = [node for each in above for node in ast.walk(each)]
    closes = any(
        own_attribute(node.func) == "close" for node in nodes if isinstance(node, ast.Call)
    )
    return closes or any(
        own_attribute(target) == name for node in nodes for target, _ in assignments(node)
    )
