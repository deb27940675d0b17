"""Edits with which each process, and each instance in it, has a seed of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.training_aims import OwnSeeds, SpreadSeeds
from envdoctor.remedies.factories import SEED_STEP
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    called,
    last_name,
    names_in,
    replaced,
    stored_in,
    uses,
)
from envdoctor.remedies.training_loops import SEED, seed_of

PROCESS = "Process"
MAPS = ("map", "imap", "imap_unordered", "map_async")  # of pools and executors
COUNTS = ("range", "enumerate")
Loop = ast.For | ast.comprehension


def own_seeds(aim: OwnSeeds, source: Source) -> Iterator[Candidate]:
    """Edits of seeds that are multiples of a rank; else of those that each process gives."""
    file = source.files.get(aim.place.file)
    if file is not None:
        yield replaced(file, _multiples(file))
        yield replaced(file, _of_processes(file, aim.place.line, 1))


def spread_in_processes(aim: SpreadSeeds, source: Source) -> Iterator[Candidate]:
    """Edits of the seeds of vectorizers that a function makes which several processes run."""
    file = source.files.get(aim.place.file)
    if file is not None:
        yield replaced(file, _of_processes(file, aim.place.line, SEED_STEP))


def _multiples(file: File) -> Iterator[tuple[ast.expr, str]]:
    """`SEED + rank * number + index` for `SEED + rank * index`, where there are so many."""
    for scope in ast.walk(file.tree):
        is_named = isinstance(scope, ast.FunctionDef) and SEED in scope.name.lower()
        is_given = isinstance(scope, ast.Assign) and any(
            SEED in ast.unparse(each).lower() for each in scope.targets
        )
        for node in ast.walk(scope) if is_named or is_given else ():
            if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
                index, number = _counted(file, node.generators[0])
                text = _with_number(file, node.elt, index, number) if number else ""
                if text:
                    yield node.elt, text


def _counted(file: File, loop: Loop) -> tuple[str, str]:
    """The variable of `for index in range(number)`, and the number."""
    call = loop.iter
    plain = isinstance(call, ast.Call) and called(call) == "range" and len(call.args) == 1
    if not (plain and isinstance(call, ast.Call) and isinstance(loop.target, ast.Name)):
        return "", ""
    (number,) = call.args
    text = file.text_of(number)
    is_name = isinstance(number, ast.Name | ast.Attribute | ast.Constant)
    return loop.target.id, text if is_name else f"({text})"


def _with_number(file: File, node: ast.expr, index: str, number: str) -> str:
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return ""
    product = node.right
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return ""
    sides = [each for each in (product.left, product.right) if names_in(each) != [index]]
    is_plain = len(sides) == 1 and isinstance(sides[0], ast.Name | ast.Attribute)
    if not is_plain or uses(node.left, index):
        return ""
    return f"{file.text_of(node.left)} + {file.text_of(sides[0])} * {number} + {index}"


def _of_processes(file: File, line: int, step: int) -> list[tuple[ast.expr, str]]:
    """`SEED + index` for the one seed in the function around a line, whose argument `index` differs
    from process to process.
    """
    around = [
        node
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    indices = set(_indices(file, around[0])) if around else set()
    if len(indices) != 1:
        return []
    (function,), index = around, indices.pop()
    seeds = [seed_of(node) for node in ast.walk(function) if isinstance(node, ast.Call)]
    known = [seed for seed in seeds if seed is not None]
    if not known or not all(_is_constant(function, each) for each in known):
        return []
    term = index if step == 1 else f"{step} * {index}"
    return [(each, _sum(file.text_of(each), term)) for each in known]


def _sum(seed: str, term: str) -> str:
    return term if seed == "0" else f"{seed} + {term}"


def _is_constant(function: ast.FunctionDef, seed: ast.expr) -> bool:
    """Return True for a number, and for a name that the function neither is given nor makes."""
    if isinstance(seed, ast.Constant):
        return type(seed.value) is int
    own = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    own |= set(stored_in(function))
    return isinstance(seed, ast.Name | ast.Attribute) and own.isdisjoint(names_in(seed))


def _indices(file: File, function: ast.FunctionDef) -> Iterator[str]:
    """The arguments of a function that count the processes which run it."""
    names = [each.arg for each in function.args.args]
    for loop, call in _calls(file.tree):
        positions = _counters(loop, call, function.name)
        yield from (names[at] for at in positions if at < len(names))


def _counters(loop: Loop | None, call: ast.Call, function: str) -> Iterator[int]:
    """The arguments that a call gives another number for each process that runs the function."""
    targets = [last_name(each.value) for each in call.keywords if each.arg == "target"]
    if last_name(call.func) == PROCESS and targets == [function] and loop is not None:
        passed = next((each.value for each in call.keywords if each.arg == "args"), None)
        counter = _counter(loop)
        for at, value in enumerate(passed.elts if isinstance(passed, ast.Tuple) else ()):
            if counter and isinstance(value, ast.Name) and value.id == counter:
                yield at
    mapped, over = list(map(last_name, call.args[:1])), list(map(called, call.args[1:2]))
    if last_name(call.func) in MAPS and mapped == [function] and over == ["range"]:
        yield 0


def _counter(loop: Loop) -> str:
    """`index` of `for index in range(3)`, and of `for index, pipe in enumerate(pipes)`."""
    if called(loop.iter) not in COUNTS:
        return ""
    target: ast.expr = loop.target
    if called(loop.iter) == "enumerate" and isinstance(target, ast.Tuple):
        target = target.elts[0]
    return target.id if isinstance(target, ast.Name) else ""


def _calls(node: ast.AST, loop: Loop | None = None) -> Iterator[tuple[Loop | None, ast.Call]]:
    """(innermost loop, call) for each call."""
    if isinstance(node, ast.Call):
        yield loop, node
    loops: Sequence[Loop] = [node] if isinstance(node, ast.For) else ()
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        loops = node.generators[-1:]
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, loops[0] if loops else loop)
