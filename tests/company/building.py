"""From the names of mixins to one file with a class `Sick`, as a person would have written it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

MIXINS = Path(__file__).parent / "mixins"
COMPILED = Path(__file__).parents[1] / "envs"


@cache
def statements() -> dict[str, tuple[str, ...]]:
    """Return the statements that each name of the mixins' files needs for its definition, as text."""
    texts: dict[str, tuple[str, ...]] = {}
    for file in sorted(MIXINS.glob("[a-z]*.py")):
        text = file.read_text()
        for node in ast.parse(text).body:
            for name in _defines(node):
                segment = ast.get_source_segment(text, node)
                texts[name] = (*texts.get(name, ()), segment or "")
    return texts


def _defines(node: ast.stmt) -> Iterator[str]:
    """The names that a statement defines; for `LIBC.malloc.restype = ...`, LIBC."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
        while isinstance(target, ast.Attribute):
            target = target.value  # type: ignore[assignment]
        if isinstance(target, ast.Name):
            yield target.id


def needed(names: Iterable[str]) -> list[str]:
    """These names and all that they need, in the order in which they can stand."""
    known, ordered = statements(), dict[str, None]()

    def visit(name: str) -> None:
        if name in ordered or name not in known:
            return
        inside = {
            node.id
            for text in known[name]
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Name) and node.id != name
        }
        for other in sorted(inside):
            visit(other)
        ordered[name] = None

    for name in names:
        visit(name)
    return list(ordered)


def source(mixins: Iterable[str]) -> str:
    """The text of a file with a class `Sick` that has all of these illnesses."""
    mixins = tuple(mixins)
    known, names = statements(), needed((*mixins, "Plain"))
    lines = [text for name in names for text in known[name]]
    imports = sorted({line for line in lines if line.startswith(("import ", "from "))})
    rest = [line for line in lines if line not in imports]
    head = ["import sys", f"sys.path.insert(0, {str(COMPILED)!r})"]
    bases = ", ".join((*mixins, "Plain"))
    sick = f'class Sick({bases}):\n    """Has all of it."""'
    return "\n".join([*head, *imports]) + "\n\n\n" + "\n\n\n".join([*rest, sick]) + "\n"
