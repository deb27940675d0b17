"""Edits of the loops of a training: a seed for the first reset() of an instance only, and one
instance for all rounds. Code is proposed only for the instance that the finding names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.model.training_aims import MakeNothing, MakeOnce, SeedOnce
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    innermost,
    name_of_made,
    names_in,
    own_attribute,
    removed,
    replaced,
    uses,
)
from envdoctor.remedies.training import (
    can_be_indented,
    is_given_away,
    last_wrapping,
    makes,
    place_of_made,
)

Loop = ast.For | ast.While
Seeded = tuple[Loop | None, ast.Call]  # a call that gives a seed, and the innermost loop around it
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
EPISODE = "episode"
RESET, SEED = "reset", "seed"


def seed_once(aim: SeedOnce, source: Source) -> Iterator[Candidate]:
    """Edits of the resets of what a line makes, in loops. Where one above gives the seed, they give
    none; where rounds are counted, the first one does (`seed=SEED if episode == 0 else None`); else
    a new reset() above the loop. A call of seed() that is made again goes, where another one stays.
    """
    if aim.again is not None:
        yield from _without_call(source.files.get(aim.again.file), aim.again.line)
    file = source.files.get(aim.place.file)
    resets = _resets_of(file, aim.place.line) if file else []
    if file is None or len({_receiver(call) for _, call in resets}) != 1:
        return
    repeated = [(loop, call) for loop, call in resets if loop is not None]
    ways = (_in_first_round, _above_loop) if len(repeated) == len(resets) else (_without_seed,)
    for way in ways:
        parts = [way(file, loop, call) for loop, call in repeated]
        if all(parts):
            yield tuple(chain.from_iterable(parts))


def _without_call(file: File | None, line: int) -> Iterator[Candidate]:
    """The edit that leaves out a call of seed() in a line, where another line seeds the same."""
    statement = innermost(file, line) if file else None
    call = statement.value if isinstance(statement, ast.Expr) else None
    if file is None or statement is None or not isinstance(call, ast.Call):
        return
    alike = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and ast.unparse(node) == ast.unparse(call)
    ]
    if getattr(call.func, "attr", "") == SEED and len(alike) > 1:
        yield (removed(file, statement),)


def make_once(aim: MakeOnce, source: Source) -> Iterator[Candidate]:
    """Edits with which a loop resets one instance, made above it and closed below it, in place of a
    new one in each round.
    """
    file = source.files.get(aim.place.file)
    place = place_of_made(file, aim.place.line) if file else None
    loop = _loop_of(file, place[1]) if file and place else None
    if file is None or place is None or loop is None:
        return
    scope, block, at = place
    name = name_of_made(block[at])
    made = block[at : last_wrapping(block, at, name) + 1]
    closes = [each for each in block if ast.unparse(each) == f"{name}.close()"]
    rest = [each for each in block if each not in (*made, *closes)]
    if not rest or len(closes) > 1 or _depends(made, loop) or is_given_away(scope, rest, name):
        return
    if not (_one_a_line(file, block) and can_be_indented(file, [loop])):
        return
    column = loop.col_offset
    header = file.lines[loop.lineno - 1 : block[0].lineno - 1]
    gone = {line for each in (*made, *closes) for line in _lines_of(each)}
    body = [
        file.lines[line - 1]
        for line in range(block[0].lineno, (block[-1].end_lineno or 0) + 1)
        if line not in gone
    ]
    above = [line for each in made for line in statement_text(file, each)]
    text = (*above, *(line[column:] for line in (*header, *body)), *map(ast.unparse, closes))
    yield (Edit(file.path, INSTEAD, text, line=loop.lineno, end=loop.end_lineno or 0),)


def make_nothing(aim: MakeNothing, source: Source) -> Iterator[Candidate]:
    """The edit that leaves out an assignment to an attribute of self, which no file reads."""
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    if file is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    name = own_attribute(statement.targets[0])
    if name and sum(_reads(each.tree, name) for each in source.files.values()) == 1:
        yield (removed(file, statement),)


def _reads(tree: ast.AST, name: str) -> int:
    """The number of times that the code has an attribute, or its name as a text."""
    nodes = list(ast.walk(tree))
    return sum(isinstance(each, ast.Attribute) and each.attr == name for each in nodes) + sum(
        isinstance(each, ast.Constant) and each.value == name for each in nodes
    )


def _loop_of(file: File, block: list[ast.stmt]) -> Loop | None:
    """The loop whose body this is; one with an else says more than that."""
    loops = (node for node in ast.walk(file.tree) if isinstance(node, Loop))
    return next((each for each in loops if each.body is block and not each.orelse), None)


def _depends(made: Sequence[ast.stmt], loop: Loop) -> bool:
    """Return True where what is made may depend on the round: on a name that the loop gives a value
    to, or on the result of a function that is not named as one that makes something.
    """
    first, *wraps = [each.value for each in made if isinstance(each, ast.Assign)]
    name = name_of_made(made[0])
    names = {
        *names_in(first),
        *(other for each in wraps for other in names_in(each) if other != name),
    }
    calls = [node for each in made for node in ast.walk(each) if isinstance(node, ast.Call)]
    return not names.isdisjoint(_stores(loop)) or not all(map(makes, calls))


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _one_a_line(file: File, block: Sequence[ast.stmt]) -> bool:
    """Return True where each statement has lines of its own."""
    lines = [line for each in block for line in _lines_of(each)]
    begins = (file.lines[each.lineno - 1][: each.col_offset] for each in block)
    return len(lines) == len(set(lines)) and not any(text.strip() for text in begins)


def _resets_of(file: File, line: int) -> list[Seeded]:
    """The calls that give a seed to what a line makes: where that has its name, else in functions
    that take it under that name. All of the file, where it has none.
    """
    place = place_of_made(file, line)
    scopes = [file.tree, *(node for node in ast.walk(file.tree) if isinstance(node, _SCOPES))]
    if place is None:
        attribute = _attribute_made(file, line)
        calls = [each for scope in scopes for each in _seeded(scope)]
        return [each for each in calls if attribute in ("", _receiver(each[1]))]
    scope, block, at = place
    name = name_of_made(block[at])
    takers = [each for each in scopes if name in _arguments(each)]
    here = [each for each in _seeded(scope) if _receiver(each[1]) == name]
    there = [each for taker in takers for each in _seeded(taker) if _receiver(each[1]) == name]
    return here or there


def _attribute_made(file: File, line: int) -> str:
    """`self.env` of `self.env = make()`; nothing of others."""
    node = innermost(file, line)
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return ast.unparse(target) if isinstance(target, ast.Attribute) else ""


def _arguments(scope: ast.AST) -> list[str]:
    of_scope = getattr(scope, "args", None)
    return (
        [each.arg for each in ast.walk(of_scope) if isinstance(each, ast.arg)] if of_scope else []
    )


def _seeded(tree: ast.AST, loop: Loop | None = None) -> Iterator[Seeded]:
    """(innermost loop, call) for each `env.reset(seed=SEED)` and `env.seed(SEED)` of a scope,
    without those of the functions and classes in it.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, ast.Call) and seed_of(node) is not None:
            yield loop, node
        yield from _seeded(node, node if isinstance(node, Loop) else loop)


def seed_of(call: ast.Call) -> ast.expr | None:
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
    seed, counted = seed_of(call), _counted(loop)
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
    seed, plain = seed_of(call), _without_seed(file, loop, call)
    if (
        seed is None
        or not plain
        or not _stores(loop).isdisjoint([*names_in(seed), *names_in(call.func)])
    ):
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


def _stores(loop: Loop) -> set[str]:
    """The names that a loop gives a value to."""
    return {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
