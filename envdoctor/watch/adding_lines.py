"""The line of a training's own code that adds to a container which gets longer: nothing of it is
imported. It is known where all of the script's code has one such line. And the line of another
file that calls it, where each function on the way is called by one line.
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
CONSTRUCTOR = "__init__"
HOPS = 4
METHODS = frozenset(
    ("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault")
)


def with_adding_lines(training: Training, here: Path) -> Training:
    """The training with the lines that add to its containers; it ran in the folder `here`."""
    if not any(series.holders for series in training.series):
        return training
    lines = AddingLines(training.command, here)
    series = (
        replace(each, holders=tuple(lines.added_to(held) for held in each.holders))
        for each in training.series
    )
    return replace(training, series=tuple(series))


class AddingLines:
    """The lines of a command's own code that add to something, by its name."""

    def __init__(self, command: tuple[str, ...], here: Path) -> None:
        self._lines: dict[str, set[Location]] = {}
        self._calls: dict[str, set[Location]] = {}
        self._names: dict[Location, str] = {}  # by which what a line is in is called
        for module in modules_of(scripts_of(command, here), (here,)):
            for node, function, known_as in _statements(parsed(module.file.text)):
                place = Location(str(Path("/", module.file.path)), node.lineno, function)
                self._names[place] = known_as
                for lines, expression in (
                    (self._lines, _grown(node)),
                    (self._calls, node.func if isinstance(node, ast.Call) else None),
                ):
                    if name := _name(expression):
                        lines.setdefault(name, set()).add(place)

    def added_to(self, held: TrainingHolder) -> TrainingHolder:
        """The container with the line that adds to it, and the one that calls that."""
        added = self.of(held)
        return replace(held, added=added, called=self._caller(added) if added else None)

    def of(self, held: TrainingHolder) -> Location | None:
        """The only line that adds to what has the name of a container; None where several do."""
        name = LAST.search(held.chain)
        places = self._lines.get(name.group(1), set()) if name else set()
        return next(iter(places)) if len(places) == 1 else None

    def _caller(self, added: Location) -> Location | None:
        """The last line on the way up from one, if that is in another file."""
        place = added
        for _ in range(HOPS):
            sites = self._calls.get(self._names[place], set())
            if len(sites) != 1 or place.file != added.file:
                break
            (place,) = sites
        return place if place.file != added.file else None


def _statements(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """Each expression and statement with its function, and the name by which that is called: of a
    constructor, the name of its class.
    """
    waiting = [(tree, "", "", "")]
    while waiting:
        node, function, known_as, owner = waiting.pop()
        if isinstance(node, (ast.expr, ast.stmt)):
            yield node, function, known_as
        if isinstance(node, ast.ClassDef):
            owner = node.name
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function, known_as = node.name, owner if node.name == CONSTRUCTOR else node.name
        waiting += [(each, function, known_as, owner) for each in ast.iter_child_nodes(node)]


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
