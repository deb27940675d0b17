"""Edits with which an instance that was closed can be reset and drawn again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import ForgetFreed, OpenAgain
from envdoctor.model.errors import ErrorValue, Frame
from envdoctor.model.remedy import BEFORE, FIRST, Edit
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.holding import held_classes
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    Function,
    OwningClass,
    Source,
    assignments,
    instead,
    names_in,
    names_of_module,
    own_attribute,
    stored_in,
)
from envdoctor.remedies.telling import ENDING, ending_method

RESET, RENDER = "reset", "render"
OF_NONE = re.compile(r"'NoneType' object has no attribute '(\w+)'")


def own_frame(error: ErrorValue, source: Source) -> Frame | None:
    """The innermost frame of an error in a method of the environment's."""
    names = {owner.name for owner in source.chain}
    for frame in reversed(error.frames):
        around = source.around(frame)
        if around is not None and around[0].name in names:
            return frame
    return None


def open_again(aim: OpenAgain, source: Source) -> Iterator[Candidate]:
    """Edits that make what an attribute held at first, where close() has set it to None: before the
    line that misses it; in reset(), where only step() comes there. None where it takes an argument
    of the constructor.
    """
    frame, missing = own_frame(aim.error, source), OF_NONE.search(aim.error.message)
    statement = source.statement_at(frame) if frame else None
    if statement is None or missing is None or frame is None:
        return
    names = {
        own_attribute(node.value)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and node.attr == missing[1]
    } - {""}
    around, closing = source.around(frame), source.method("close")
    if len(names) != 1 or around is None or closing is None:
        return
    name = names.pop()
    made = _made_at_first(name, source)
    if made is None or not _is_let_go(name, closing[1]):
        return
    lines = (f"if self.{name} is None:", f"    self.{name} = {made}")
    owner, method = around
    reset = source.method(RESET)
    if reset is None or method.name in (RESET, RENDER, *_called_in(reset[1])):
        yield (Edit(owner.file.path, BEFORE, lines, owner.name, line=statement.lineno),)
    else:
        yield (Edit(reset[0].file.path, FIRST, lines, reset[0].name, RESET),)


def _called_in(method: Function) -> set[str]:
    """The methods of its object that a method calls."""
    calls = (node.func for node in ast.walk(method) if isinstance(node, ast.Call))
    return {own_attribute(function) for function in calls}


def _made_at_first(name: str, source: Source) -> str | None:
    """The text of the call with which the constructor makes an attribute."""
    for owner in source.chain:
        constructor = owner.methods.get(CONSTRUCTOR)
        for node in ast.walk(constructor) if constructor else ():
            for target, value in assignments(node):
                if own_attribute(target) != name or not isinstance(value, ast.Call):
                    continue
                assert constructor is not None
                known = {"self", *names_of_module(owner.file)}
                if set(names_in(value)) <= known - _locals(constructor):
                    return owner.file.text_of(value)
                return None
    return None


def _locals(method: Function) -> set[str]:
    """The names that a method binds itself, but for `self`."""
    arguments = {node.arg for node in ast.walk(method) if isinstance(node, ast.arg)}
    return {*arguments, *stored_in(method)} - {"self"}


def _is_let_go(name: str, method: Function) -> bool:
    return any(
        own_attribute(target) == name and isinstance(value, ast.Constant) and value.value is None
        for node in ast.walk(method)
        for target, value in assignments(node)
    )


def forget_freed(_aim: ForgetFreed, source: Source) -> Iterator[Candidate]:
    """Edits that empty a container once all that it holds was freed, where another method fills it
    again.
    """
    edits: list[Edit] = []
    held = [each for kind in held_classes(source) for each in kind.chain]
    for owner in dict.fromkeys((*source.chain, *held)):
        ending = ending_method(owner)
        method = owner.methods.get(ending) if ending else None
        for node in ast.walk(method) if method else ():
            assert method is not None
            name = _freed_in(node)
            if name and not _is_emptied(name, method) and _is_filled(name, owner):
                assert isinstance(node, ast.For)
                lines = (*statement_text(owner.file, node), f"self.{name}.clear()")
                edits.append(instead(owner.file, node, lines))
    if edits:
        yield tuple(edits)


def _freed_in(node: ast.AST) -> str:
    """`viewers` of `for each in self.viewers.values(): each.free()`."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
        return ""
    values = node.iter
    if isinstance(values, ast.Call) and isinstance(values.func, ast.Attribute):
        values = values.func.value if values.func.attr == "values" else values
    freed = any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr in ENDING
        and isinstance(each.func.value, ast.Name)
        and each.func.value.id == node.target.id
        for each in ast.walk(node)
    )
    return own_attribute(values) if freed else ""


def _is_emptied(name: str, method: Function) -> bool:
    """Return True if a method clears the container, or puts something else in its place."""
    calls = (node.func for node in ast.walk(method) if isinstance(node, ast.Call))
    cleared = any(
        isinstance(call, ast.Attribute) and own_attribute(call.value) == name
        for call in calls
        if isinstance(call, ast.Attribute) and call.attr in ("clear", "pop", "popitem")
    )
    set_anew = any(
        own_attribute(target) == name
        for node in ast.walk(method)
        for target, _ in assignments(node)
    )
    return cleared or set_anew


def _is_filled(name: str, owner: OwningClass) -> bool:
    """Return True if a method asks what the dict has not: `if key not in self.viewers`."""
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.NotIn)
        and own_attribute(node.comparators[0]) == name
        for method in owner.methods.values()
        for node in ast.walk(method)
    )
