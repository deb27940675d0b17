"""Mutants: small faults that mutmut's operators put into functions of the package, and a draw of them.

mutmut makes the faults; its runner does not fit, because it leaves decorated functions out, and
every rule is one. A draw depends on a seed and on the text of each function alone, so it is the
same on every machine, and an edit of one function changes no mutant of another.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

#: A line that makes a method a module of its own: mutmut reads functions and their methods.
_CLASS = "class _:\n"
_EVERYTHING = IgnoredCode(set(), set(), set())

Outermost = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Function:
    """A function of a module, or a method of one of its classes: what is nested is part of it."""

    file: Path
    room: str
    qualname: str
    node: Outermost

    @property
    def name(self) -> str:
        """`envdoctor/rules/leak/lek001.py::objects_grow`."""
        return f"{self.file.as_posix()}::{self.qualname}"

    @property
    def is_method(self) -> bool:
        return "." in self.qualname

    @cached_property
    def source(self) -> str:
        """The text of its module."""
        return self.file.read_text(encoding="utf-8")

    @cached_property
    def statements(self) -> int:
        """Return the number of statements, without the docstring."""
        documented = ast.get_docstring(self.node) is not None
        return sum(isinstance(node, ast.stmt) for node in ast.walk(self.node)) - 1 - documented

    @cached_property
    def lines(self) -> tuple[int, int]:
        """Its lines without its decorators, from 1, both included."""
        return self.node.lineno, self.node.end_lineno or self.node.lineno

    @property
    def first_line(self) -> int:
        """The line of its first decorator, or of its `def`."""
        return min(node.lineno for node in (self.node, *self.node.decorator_list))

    def span(self, line: int) -> tuple[int, int]:
        """The lines of the innermost statement at a line; of a compound one, those of its head."""
        inner = max(
            (
                node
                for node in ast.walk(self.node)
                if isinstance(node, ast.stmt) and _holds(node, line)
            ),
            key=lambda node: (node.lineno, -(node.end_lineno or 0)),
        )
        if inner is self.node:  # its defaults: a call runs them, and no line of its own
            return self.lines
        body = getattr(inner, "body", None) or getattr(inner, "cases", None)
        end = inner.end_lineno or line
        if body:
            first = body[0]
            end = max(inner.lineno, (getattr(first, "lineno", None) or first.pattern.lineno) - 1)
        return inner.lineno, end


def _holds(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


@dataclass(frozen=True)
class Mutant:
    """One fault: the code that it replaces, and by which."""

    function: Function
    name: str  # stable: no line number is in it
    line: int
    before: str
    after: str
    tree: libcst.Module
    mutation: Mutation

    @cached_property
    def text(self) -> str:
        """The mutated module."""
        lines = self.function.source.splitlines(keepends=True)
        start, end = self.function.lines
        tree = self.tree.deep_replace(self.mutation.original_node, self.mutation.mutated_node)
        code = tree.code.removeprefix(_CLASS if self.function.is_method else "")
        return "".join([*lines[: start - 1], code, *lines[end:]])

    @property
    def span(self) -> tuple[int, int]:
        """The lines of the statement that it changes."""
        return self.function.span(self.line)

    def __str__(self) -> str:
        return f"{self.name} (line {self.line})\n    - {self.before.strip()}\n    + {self.after.strip()}"


def outermost(module: ast.Module) -> Iterator[tuple[str, Outermost]]:
    """The functions of a module and the methods of its classes, each with its qualified name."""
    for node in module.body:
        if isinstance(node, Outermost):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Outermost):
                    yield f"{node.name}.{method.name}", method


def functions(file: Path, room: str) -> Iterator[Function]:
    """The functions of a file, in their order, without those that only a rule's examples use."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    of_examples = examples(module)
    for qualname, node in outermost(module):
        if node not in of_examples:
            yield Function(file, room, qualname, node)


def mutants(function: Function) -> Iterator[Mutant]:
    """All mutants of a function, in their order."""
    lines = function.source.splitlines(keepends=True)
    start, end = function.lines
    is_method = function.is_method
    wrapper = MetadataWrapper(
        libcst.parse_module(_CLASS * is_method + "".join(lines[start - 1 : end])),
        unsafe_skip_copy=True,  # it was parsed for this
    )
    visitor = MutationVisitor(mutation_operators, _EVERYTHING)
    module = wrapper.visit(visitor)
    positions = wrapper.resolve(PositionProvider)
    occurrences: Counter[tuple[str, str]] = Counter()
    for mutation in visitor.mutations:
        before, after = _code(module, mutation.original_node), _code(module, mutation.mutated_node)
        if mutation.contained_by_top_level_function is None or before == after:
            continue
        occurrences[before, after] += 1
        digest = _digest(before, after, str(occurrences[before, after]))
        line = positions[mutation.original_node].start.line + start - 1 - is_method
        yield Mutant(
            function, f"{function.name} {digest[:8]}", line, before, after, module, mutation
        )


def _code(module: libcst.Module, node: libcst.CSTNode) -> str:
    return module.code_for_node(node)


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def shares(functions: Iterable[Function], number: int) -> dict[str, int]:
    """Return the number of mutants for each room, by its statements."""
    statements: Counter[str] = Counter()
    for function in functions:
        statements[function.room] += function.statements
    return {room: round(number * count / statements.total()) for room, count in statements.items()}


def draw(candidates: list[Function], number: int, seed: int) -> list[Mutant]:
    """As many mutants as asked for: rooms by their shares, functions by their statements, and of
    a function's mutants those whose names come first in an order that the seed gives.
    """
    drawn: list[Mutant] = []
    places: dict[str, list[tuple[str, Function]]] = defaultdict(list)
    for function in candidates:
        for place in range(function.statements):
            places[function.room].append((_digest(str(seed), function.name, str(place)), function))
    for room, share in shares(candidates, number).items():
        drawn += _drawn(places[room], share, seed)
    return drawn


def _drawn(places: list[tuple[str, Function]], share: int, seed: int) -> Iterator[Mutant]:
    """The mutants of one room. A function that has fewer than its places gives all that it has."""
    left: dict[str, Iterator[Mutant]] = {}
    for _, function in sorted(places, key=lambda place: place[0]):
        if not share:
            return
        if function.name not in left:
            left[function.name] = iter(
                sorted(mutants(function), key=lambda mutant: _digest(str(seed), mutant.name))
            )
        mutant = next(left[function.name], None)
        if mutant is not None:
            share -= 1
            yield mutant


def examples(tree: ast.Module) -> list[ast.stmt]:
    """The assignment of EXAMPLES, and the names of the module that only it uses."""
    parts = [node for node in tree.body if "EXAMPLES" in _assigned(node)]
    if not parts:
        return []
    while True:
        rest = [node for node in tree.body if node not in parts]
        used = {name for node in rest for name in _names(node) - _assigned(node)}
        here = {name for node in parts for name in _names(node)}
        more = [node for node in rest if _assigned(node) & here and not _assigned(node) & used]
        if not more:
            return parts
        parts += more


def _assigned(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines; none of what registers itself."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return set() if node.decorator_list else {node.name}
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | _assigned_in(node)


def _assigned_in(node: ast.AST) -> set[str]:
    return _assigned(node) if isinstance(node, ast.stmt) else set()
