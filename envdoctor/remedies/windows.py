"""Edits with which the last instance that draws closes the one window that pygame has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, FIRST, MEMBER, Edit
from envdoctor.remedies.needing import bound_names
from envdoctor.remedies.source import Candidate, OwningClass, Source, assignments, own_attribute

QUIT = "pygame.display.quit()"
OPENS = "pygame.display.set_mode"
COUNT = "_windows"


def close_last_window(source: Source) -> Iterator[Candidate]:
    """Edits that count the instances with a window, and close it with the last of them. None where
    the attribute may hold something else, or the window is not opened once.
    """
    for owner in source.chain:
        for node in ast.walk(owner.node):
            for opening in node.body if isinstance(node, ast.If) else ():
                name = _window_in(opening)
                assert isinstance(node, ast.If)
                if name and _asks_for(node.test, name) and _is_window(name, source):
                    yield _counted(owner, opening, name, source.held(name))


def _counted(owner: OwningClass, opening: ast.stmt, name: str, held: str) -> Candidate:
    """The edits for the window of an attribute, which a statement opens."""
    path, counted = owner.file.path, f"{owner.name}.{COUNT}"
    lines = (
        *(() if "pygame" in bound_names(owner.file) else ("import pygame",)),
        f"if {held} is not None:",
        f"    self.{name} = None",
        f"    {counted} -= 1",
        f"    if {counted} == 0:",
        f"        {QUIT}",
    )
    return (
        Edit(path, BEFORE, (f"{counted} += 1",), line=opening.lineno),
        Edit(path, FIRST, lines, owner.name, "close"),
        Edit(
            path,
            MEMBER,
            (f"{COUNT} = 0  # instances that draw into the one window of pygame",),
            owner.name,
        ),
    )


def _window_in(statement: ast.stmt) -> str:
    """`window` of `self.window = pygame.display.set_mode(...)`."""
    for target, value in assignments(statement):
        if isinstance(value, ast.Call) and ast.unparse(value.func) == OPENS:
            return own_attribute(target)
    return ""


def _asks_for(test: ast.expr, name: str) -> bool:
    return ast.unparse(test) in (f"self.{name} is None", f"not self.{name}")


def _is_window(name: str, source: Source) -> bool:
    """Return True if an attribute holds the window, or None."""
    return all(
        (isinstance(value, ast.Constant) and value.value is None)
        or (isinstance(value, ast.Call) and ast.unparse(value.func) == OPENS)
        for _, value in source.assigned(name)
    )
