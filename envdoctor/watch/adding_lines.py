"""The line of a training's own code that adds to a container which gets longer: nothing of it is
imported. It is known where all of the script's code has one such line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from envdoctor.discovery.script_modules import modules_of
from envdoctor.discovery.syntax import parsed
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_growth import TrainingHolder
from envdoctor.watch.own_classes import scripts_of

LAST = re.compile(r"(\w+)$")  # of `main() agent.memory`
METHODS = frozenset(
    ("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault")
)


def with_adding_lines(training: Training, here: Path) -> Training:
    """The training with the lines that add to its containers; it ran in the folder `here`."""
    if not any(series.holders for series in training.series):
        return training
    lines = AddingLines(training.command, here)
    series = (
        replace(each, holders=tuple(replace(held, added=lines.of(held)) for held in each.holders))
        for each in training.series
    )
    return replace(training, series=tuple(series))


class AddingLines:
    """The lines of a command's own code that add to something, by its name."""

    def __init__(self, command: tuple[str, ...], here: Path) -> None:
        self._lines: dict[str, set[Location]] = {}
        for module in modules_of(scripts_of(command, here), (here,)):
            for name, line, function in _additions(parsed(module.file.text)):
                place = Location(str(Path("/", module.file.path)), line, function)
                self._lines.setdefault(name, set()).add(place)

    def of(self, held: TrainingHolder) -> Location | None:
        """The only line that adds to what has the name of a container; None where several do."""
        name = LAST.search(held.chain)
        places = self._lines.get(name.group(1), set()) if name else set()
        return next(iter(places)) if len(places) == 1 else None


def _additions(tree: ast.AST) -> Iterator[tuple[str, int, str]]:
    """The names that something is added to, with lines and functions."""
    waiting = [(tree, "")]
    while waiting:
        node, function = waiting.pop()
        name = _name(_grown(node))
        if name and isinstance(node, (ast.expr, ast.stmt)):
            yield name, node.lineno, function
        inner = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else function
        waiting += [(each, inner) for each in ast.iter_child_nodes(node)]


def _grown(node: ast.AST) -> ast.AST | None:
    """The expression that a call, an assignment to an item, or `+=` adds to."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr in METHODS else None
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return node.targets[0].value
    return None


def _name(node: ast.AST | None) -> str:
    """The last name of `agent.memory`, or of `memory`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
