"""Edits with which a training gives its seed to the first reset() of an instance only. Code is
proposed only for the instance that the finding names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from envdoctor.model.remedy import BEFORE, INSTEAD, Edit, SeedOnce
from envdoctor.remedies.source import File, Source, innermost, names_in, replaced, uses

Candidate = tuple[Edit, ...]

Loop = ast.For | ast.While
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
EPISODE = "episode"
RESET, SEED = "reset", "seed"


def seed_once(aim: SeedOnce, source: Source) -> Iterator[Candidate]:
    """Edits of the resets of what a line makes, in loops. Where one above gives the seed, they give
    none; where rounds are counted, the first one does (`seed=SEED if episode == 0 else None`); else
    a new reset() above the loop.
    """
    file = source.files.get(aim.place.file)
    if file is None:
        return
    name = _made_at(file, aim.place.line)
    resets = [each for each in _seeded(file.tree) if not name or _receiver(each[1]) == name]
    if len({_receiver(call) for _, call in resets}) != 1:
        return
    repeated = [(loop, call) for loop, call in resets if loop is not None]
    ways = (_in_first_round, _above_loop) if len(repeated) == len(resets) else (_without_seed,)
    for way in ways:
        parts = [way(file, loop, call) for loop, call in repeated]
        if all(parts):
            yield tuple(chain.from_iterable(parts))


def _made_at(file: File, line: int) -> str:
    """`env` of `env = make()`; nothing where the line gives no name to what it makes."""
    node = innermost(file, line)
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else ""


def _seeded(tree: ast.AST, loop: Loop | None = None) -> Iterator[tuple[Loop | None, ast.Call]]:
    """(innermost loop, call) for each `env.reset(seed=SEED)` and `env.seed(SEED)`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and _seed_of(node) is not None:
            yield loop, node
        inside = node if isinstance(node, Loop) else None if isinstance(node, _SCOPES) else loop
        yield from _seeded(node, inside)


def _seed_of(call: ast.Call) -> ast.expr | None:
    """The seed that a call gives; None where it gives none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if name == SEED and len(call.args) == 1:
        return call.args[0]
    seeds = (each.value for each in call.keywords if each.arg == SEED)
    return next(seeds, None) if name == RESET else None


def _receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def _in_first_round(file: File, loop: Loop, call: ast.Call) -> Candidate:
    """`env.reset(seed=SEED if episode == 0 else None)`."""
    seed, counted = _seed_of(call), _counted(loop)
    if seed is None or counted is None or not call.keywords or not _is_each_round(file, loop, call):
        return ()
    variable, first = counted
    name = EPISODE if variable.id == "_" else variable.id
    renamed = [(variable, name)] if name != variable.id else []
    if renamed and uses(file.tree, name):
        return ()
    text = file.text_of(seed)
    if not isinstance(seed, ast.Name | ast.Attribute | ast.Constant):
        text = f"({text})"
    return replaced(file, [(seed, f"{text} if {name} == {first} else None"), *renamed])


def _is_each_round(file: File, loop: Loop, call: ast.Call) -> bool:
    """Return True where the call is made once in each round, and not where an episode ends."""
    return innermost(file, call.lineno) in loop.body


def _counted(loop: Loop) -> tuple[ast.Name, str] | None:
    """(variable, first value) of a loop over a range() of one or two arguments."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None
    over = loop.iter
    if not (isinstance(over, ast.Call) and ast.unparse(over.func) == "range") or over.keywords:
        return None
    if len(over.args) == 1:
        return loop.target, "0"
    first = over.args[0]
    is_plain = isinstance(first, ast.Constant | ast.Name)
    return (loop.target, ast.unparse(first)) if len(over.args) == 2 and is_plain else None


def _above_loop(file: File, loop: Loop, call: ast.Call) -> Candidate:
    """`env.reset(seed=SEED)` above the loop, and `env.reset()` in it; `env.seed(SEED)` moves."""
    seed, plain = _seed_of(call), _without_seed(file, loop, call)
    stores = {
        each.id
        for each in ast.walk(loop)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    if seed is None or not plain or not stores.isdisjoint([*names_in(seed), *names_in(call.func)]):
        return ()
    above = f"{_receiver(call)}.reset(seed={file.text_of(seed)})"
    text = above if call.keywords else file.text_of(call)
    return (Edit(file.path, BEFORE, (text,), line=loop.lineno), *plain)


def _without_seed(file: File, loop: Loop, call: ast.Call) -> Candidate:
    """`env.reset()`; a statement `env.seed(SEED)` goes."""
    if call.keywords:
        others = (*call.args, *(each for each in call.keywords if each.arg != SEED))
        arguments = ", ".join(map(file.text_of, others))
        return replaced(file, [(call, f"{file.text_of(call.func)}({arguments})")])
    statement = innermost(file, call.lineno)
    if not isinstance(statement, ast.Expr) or statement.value is not call:
        return ()
    lines = ("pass",) if loop.body == [statement] else ()
    return (Edit(file.path, INSTEAD, lines, line=call.lineno, end=call.end_lineno or 0),)
