"""Edits with which an episode ends where the loop of a training gives it up, or where a game is
over, and with which as many results are taken as orders were given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from envdoctor.frameworks.threads import WITH_TIME_LIMIT
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.source import (
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    blocks,
    called,
    innermost,
    last_name,
    name_of_made,
    names_in,
    own_attribute,
    replaced,
    stored_in,
)

STEP = "step"
OVER = ("over", "done", "terminated", "finished")


def limit_episodes(aim: MendFailure, source: Source) -> Iterator[Candidate]:
    """`Monitor(TimeLimit(env, STEPS))` for `Monitor(env)`, which raises where an episode is reset
    that is not over: the loop that plays it makes so many steps, and no more.
    """
    around = source.around(aim.place)
    wrapper = around[0].name if around else ""
    for file in source.files.values() if aim.kind == "limit" and wrapper else ():
        yield _limited(file, wrapper)


def _limited(file: File, wrapper: str) -> Candidate:
    packages, limiting = WITH_TIME_LIMIT
    library = next((name for name, full in file.imported.items() if full in packages), "")
    made = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign) and name_of_made(node) and called(node.value) == wrapper
    ]
    value = made[0].value if len(made) == 1 else None
    if not library or not isinstance(value, ast.Call) or not value.args:
        return ()
    limits = set(_limits(file, name_of_made(made[0])))
    if len(limits) != 1 or "" in limits or limiting.rpartition(".")[2] in names_in(file.tree):
        return ()
    (limit,) = limits
    first = value.args[0]
    return replaced(file, [(first, f"{library}.{limiting}({file.text_of(first)}, {limit})")])


def end_when_over(file: File, aim: MendFailure) -> Candidate:
    """`over = self.lives == 0 or self.game.is_over()` in step(), which moves in the game: a move
    raises where the game is over, and `over` does not ask it.
    """
    move, question = _asked_before_a_move(file, aim)
    texts: list[tuple[ast.expr, str]] = []
    for node in file.classes.values() if question else ():
        step = OwningClass(file, node).methods.get(STEP)
        for statement in ast.walk(step) if step is not None else ():
            for target, value in assignments(statement):
                games = {_moved(each, move) for each in ast.walk(step or node)} - {""}
                if isinstance(target, ast.Name) and target.id in OVER and len(games) == 1:
                    text = _or_else(file, value, f"self.{games.pop()}.{question}()")
                    texts += [(value, text)] if text else []
    return replaced(file, texts) if len(texts) == 1 else ()


def _asked_before_a_move(file: File, aim: MendFailure) -> tuple[str, str]:
    """`move`, `is_over` of a method move() that begins with `if self.is_over(): raise ...`."""
    around = Source({file.path: file}, "", file.path).around(aim.place)
    raising = innermost(file, aim.place.line)
    for node in ast.walk(around[1]) if around is not None else ():
        if isinstance(node, ast.If) and node.body == [raising] and isinstance(raising, ast.Raise):
            test = node.test if isinstance(node.test, ast.Call) else None
            question = own_attribute(test.func) if test is not None and not test.args else ""
            if around is not None and question in around[0].methods:
                return around[1].name, question
    return "", ""


def _moved(node: ast.AST, move: str) -> str:
    """`game` of `self.game.move(action)`."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr != move:
        return ""
    return own_attribute(function.value)


def _or_else(file: File, value: ast.expr, question: str) -> str:
    """The text of `value or question`; nothing where the value asks that already."""
    parts = value.values if isinstance(value, ast.BoolOp) else [value]
    if question in map(ast.unparse, parts) or isinstance(value, ast.Constant):
        return ""
    is_plain = isinstance(value, ast.BoolOp | ast.Compare | ast.Name | ast.Attribute)
    text = file.text_of(value)
    return f"{text if is_plain else f'({text})'} or {question}"


def take_as_many(file: File, aim: MendFailure) -> Candidate:
    """`self.receive(len(indices))` below the loop over `indices` that gives the orders, in place of
    another number: the method takes as many results as its argument says.
    """
    around = Source({file.path: file}, "", file.path).around(aim.place)
    if around is None:
        return ()
    owner, method = around
    statement = innermost(file, aim.place.line)
    counts = [
        node.args[0].id
        for node in ast.walk(statement or ast.Pass())
        if isinstance(node, ast.Call) and called(node) == "range" and len(node.args) == 1
        if isinstance(node.args[0], ast.Name)
    ]
    if counts != [each.arg for each in method.args.args[1:]]:
        return ()
    texts = [
        (each.value.args[0], f"len({file.text_of(loop.iter)})")
        for block in blocks(owner.node)
        for loop, each in pairwise(block)
        if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Name) and _puts(loop)
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)
        if own_attribute(each.value.func) == method.name and len(each.value.args) == 1
    ]
    return replaced(file, texts) if len(texts) == 1 else ()


def _puts(loop: ast.For) -> bool:
    """Return True where each round of a loop puts one thing into a queue, and no more."""
    (only, *others) = loop.body
    return not others and isinstance(only, ast.Expr) and called(only.value) == "put"


def _limits(file: File, name: str) -> Iterator[str]:
    """The numbers of rounds of the innermost loops that step an environment: constants, of the
    module or written down. A loop may be left before, where it has made so many.
    """
    constants = [
        target.id
        for node in (*file.tree.body, *_below_guard(file))
        if isinstance(node, ast.Assign)
        for part in node.targets
        for target in ast.walk(part)
        if isinstance(target, ast.Name)
    ]
    for loop in ast.walk(file.tree):
        if not isinstance(loop, ast.For | ast.While) or not _steps(loop, name):
            continue
        if any(_steps(n, name) for n in ast.walk(loop) if n is not loop and _is_loop(n)):
            continue
        rounds = loop.iter if isinstance(loop, ast.For) else None
        number = rounds.args[0] if isinstance(rounds, ast.Call) and len(rounds.args) == 1 else None
        number = _left_at(loop) or number
        is_constant = isinstance(number, ast.Constant) or (
            isinstance(number, ast.Name)
            and constants.count(number.id) == list(stored_in(file.tree)).count(number.id) == 1
        )
        is_counted = called(rounds) == "range" and is_constant and number is not None
        yield file.text_of(number) if is_counted and number is not None else ""


def _below_guard(file: File) -> Iterator[ast.stmt]:
    """The statements below `if __name__ == "__main__":`."""
    for node in file.tree.body:
        if isinstance(node, ast.If) and "__name__" in names_in(node.test):
            yield from node.body


def _left_at(loop: ast.For | ast.While) -> ast.expr | None:
    """`limit` of `if t >= limit: done = True` in `for t in range(steps)`."""
    variable = last_name(loop.target) if isinstance(loop, ast.For) else ""
    for node in loop.body:
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(node, ast.If) and isinstance(test, ast.Compare) and variable:
            is_reached = last_name(test.left) == variable and isinstance(test.ops[0], ast.GtE)
            if is_reached and any(map(_gives_up, node.body)):
                return test.comparators[0]
    return None


def _gives_up(statement: ast.stmt) -> bool:
    """Return True for `break` and `done = True`."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(statement, ast.Break) or (
        isinstance(value, ast.Constant) and value.value is True
    )


def _is_loop(node: ast.AST) -> bool:
    return isinstance(node, ast.For | ast.While)


def _steps(node: ast.AST, name: str) -> bool:
    """Return True where code calls `env.step()`."""
    return any(
        isinstance(each, ast.Attribute) and each.attr == "step" and last_name(each.value) == name
        for each in ast.walk(node)
    )
