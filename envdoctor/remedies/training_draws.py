"""Edits with which each forked worker draws other numbers than the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.remedy import BEFORE, INSTEAD, TOP, Edit
from envdoctor.model.training_aims import SeedWorkers
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    called,
    function_at,
    innermost,
    names_in,
    replaced,
    uses,
)
from envdoctor.remedies.training_workers import target_of

PROCESS, LONG = "Process", 100
NAMES = ("seed", "worker_seed", "seed_of_worker")
#: By generator: the module, the line that imports it, its seed(), and the draw of a seed.
GENERATORS = {
    "numpy.random": (
        "numpy",
        "import numpy as np",
        "{}.random.seed({})",
        "{}.random.randint(2**31)",
    ),
    "random": ("random", "import random", "{}.seed({})", "{}.randrange(2**32)"),
}


def seed_workers(aim: SeedWorkers, source: Source) -> Iterator[Candidate]:
    """Edits of a function that processes run: the parent draws a seed for each, from its generator,
    and the first line of the function seeds that of the worker.
    """
    file = source.files.get(aim.place.file)
    function = function_at(file, aim.place.line) if file else None
    if file is None or function is None or aim.generator not in GENERATORS:
        return
    module, line, seeds, draws = GENERATORS[aim.generator]
    starts = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and called(node) == PROCESS
        if target_of(file, node) is function
    ]
    passed = argument(starts[0], "args") if len(starts) == 1 else None
    head = _head(file, function)
    name = next((each for each in NAMES if each not in _names_of(function)), "")
    if not isinstance(passed, ast.Tuple) or not passed.elts or not head or not name:
        return
    known = [each for each, full in file.imported.items() if full == module]
    used = known[0] if known else line.split()[-1]
    put = _with_one_more(file, passed, draws.format(used), name)
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    if put and uses(file.tree, function.name) == 1:
        yield (
            Edit(file.path, INSTEAD, (f"{head}, {name}):",), line=function.lineno),
            Edit(file.path, BEFORE, (seeds.format(used, name),), line=first.lineno),
            *put,
            *(() if known else (Edit(file.path, TOP, (line,)),)),
        )


def _with_one_more(file: File, passed: ast.Tuple, value: str, name: str) -> Candidate:
    """Edits of the arguments of a process with one more: by a name where the line would be long."""
    texts = [*map(file.text_of, passed.elts)]
    put = replaced(file, [(passed, f"({', '.join([*texts, value])})")])
    statement = innermost(file, passed.lineno)
    indent = statement.col_offset if statement else 0
    if statement is None or all(len(each.lines[0]) + indent < LONG for each in put):
        return put
    scope = function_at(file, passed.lineno) or file.tree
    several = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
    if name in names_in(scope) or any(isinstance(node, several) for node in ast.walk(statement)):
        return put
    above = Edit(file.path, BEFORE, (f"{name} = {value}",), line=statement.lineno)
    return (above, *replaced(file, [(passed, f"({', '.join([*texts, name])})")]))


def _head(file: File, function: Function) -> str:
    """`def worker(pipe, make` of a function whose arguments are plain; nothing of others."""
    names = [each.arg for each in function.args.args]
    plain = f"def {function.name}({', '.join(names)}"
    is_plain = file.lines[function.lineno - 1].strip() == f"{plain}):"
    return plain if is_plain and names else ""


def _names_of(function: Function) -> set[str]:
    return {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)} | {
        *names_in(function)
    }
