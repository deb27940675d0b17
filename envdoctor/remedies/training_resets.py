"""Edits of a script that begins each episode twice: one of two calls of reset() goes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.model.training_aims import ResetOnce
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    function_at,
    innermost,
    names_in,
    own_attribute,
    removed,
    replaced,
    stored_in,
)

RESET, STEP = "reset", "step"
ASKING = {"np", "numpy", "any", "all", "bool"}  # names in `np.any(done)`
Call = ast.Assign | ast.Expr
Loop = ast.For | ast.While


def reset_once(aim: ResetOnce, source: Source) -> Iterator[Candidate]:
    """Edits of the line, or of the reset() before it whose result nothing uses."""
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    receiver = _receiver(statement, RESET)
    if file is not None and isinstance(statement, ast.Expr) and _begins_again(file, statement):
        yield (removed(file, statement),)
    if file is None or not isinstance(statement, Call) or not receiver:
        return
    scope = function_at(file, statement.lineno) or file.tree
    if aim.by_itself:
        stepped = _step_that_goes_on(scope, statement, receiver)
        if stepped is not None:
            yield _where_not_ended(file, scope, statement, stepped)
            yield _above_the_loop(file, scope, statement, stepped)
    elif isinstance(statement, ast.Expr):
        yield (removed(file, statement),)
    else:
        others = [
            each
            for each in ast.walk(scope)
            if isinstance(each, ast.Expr) and _receiver(each, RESET) == receiver
            if not _has_arguments(each)
        ]
        yield (removed(file, others[0]),) if len(others) == 1 else ()


def _receiver(statement: ast.AST | None, method: str) -> str:
    """`self.env` of `observation, _ = self.env.reset()`."""
    call = statement.value if isinstance(statement, Call) else None
    function = call.func if isinstance(call, ast.Call) else None
    is_call = isinstance(function, ast.Attribute) and function.attr == method
    return ast.unparse(function.value) if is_call and isinstance(function, ast.Attribute) else ""


def _begins_again(file: File, statement: ast.Expr) -> bool:
    """Return True for `self.begin()`, which is `self.seen = self.envs.reset()` alone, in a method
    that has begun what ended: `self.seen[ids] = self.envs.reset(ids)`.
    """
    call = statement.value
    name = own_attribute(call.func) if isinstance(call, ast.Call) else ""
    owner = next((each for each in file.classes.values() if statement in ast.walk(each)), None)
    method = OwningClass(file, owner).methods.get(name) if owner is not None and name else None
    only = method.body[0] if method is not None and len(method.body) == 1 else None
    scope, receiver = function_at(file, statement.lineno), _receiver(only, RESET)
    if scope is None or not receiver or not isinstance(only, ast.Assign):
        return False
    return any(
        isinstance(target, ast.Subscript)
        and ast.unparse(target.value) in map(ast.unparse, only.targets)
        for loop in ast.walk(scope)
        if isinstance(loop, Loop) and (loop.end_lineno or 0) < statement.lineno
        for each in ast.walk(loop)
        if isinstance(each, ast.Assign) and _receiver(each, RESET) == receiver
        for target in each.targets
    )


def _has_arguments(statement: ast.Expr) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and bool(call.args or call.keywords)


def _step_that_goes_on(scope: ast.AST, reset: Call, receiver: str) -> ast.Assign | None:
    """The one statement that steps what is reset, where it binds the name of the observation, too:
    what it returned is then the beginning of the next episode.
    """
    steps = [each for each in ast.walk(scope) if _receiver(each, STEP) == receiver]
    step = steps[0] if len(steps) == 1 else None
    target = step.targets[0] if isinstance(step, ast.Assign) else None
    if not isinstance(step, ast.Assign) or not isinstance(target, ast.Tuple):
        return None
    if isinstance(reset, ast.Expr):
        return step
    bound = reset.targets[0]
    first = bound.elts[0] if isinstance(bound, ast.Tuple) and bound.elts else bound
    is_same = len(target.elts) > 3 and ast.unparse(first) == ast.unparse(target.elts[0])
    return step if is_same else None


def _where_not_ended(file: File, scope: ast.AST, reset: Call, step: ast.Assign) -> Candidate:
    """Edits of the `if` around a reset() that an end is a reason for: without that reason, or
    without the reset() where that is all.
    """
    around = next(
        (each for each in ast.walk(scope) if isinstance(each, ast.If) and reset in each.body), None
    )
    if around is None:
        return ()
    ends = _names_of_ends(scope, step)
    test = around.test
    reasons: Sequence[ast.expr] = [test]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        reasons = test.values
    left = [each for each in reasons if _end_in(each, ends) is None]
    if len(left) == len(reasons):
        return ()
    if not left:
        return () if around.orelse and around.body == [reset] else (removed(file, reset),)
    end = next(known for each in reasons if (known := _end_in(each, ends)) is not None)
    other = " or ".join(map(file.text_of, left))
    other = f"({other})" if len(left) > 1 else other
    return replaced(file, [(test, f"{other} and not {file.text_of(end)}")])


def _names_of_ends(scope: ast.AST, step: ast.Assign) -> set[str]:
    """The names that step() binds an end to, and those that are made of these alone."""
    target = step.targets[0]
    flags = target.elts[2 : max(3, len(target.elts) - 1)] if isinstance(target, ast.Tuple) else []
    names = {each.id for each in flags if isinstance(each, ast.Name)} - {"_"}
    for node in ast.walk(scope):
        for to, value in assignments(node):
            used = set(names_in(value)) - ASKING
            if isinstance(to, ast.Name) and used and used <= names:
                names.add(to.id)
    return names


def _end_in(test: ast.expr, ends: set[str]) -> ast.expr | None:
    """`done[0]` of `done[0]`, and of `done[0] and not quiet`; None of what may hold elsewhere."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for each in parts:
        names = set(names_in(each)) - ASKING
        if names and names <= ends and not isinstance(each, ast.UnaryOp | ast.Compare):
            return each
    return None


def _above_the_loop(file: File, scope: ast.AST, reset: Call, step: ast.Assign) -> Candidate:
    """The reset() that each round of a loop begins with goes above the loop, whose rounds play one
    episode each: the first one needs it alone.
    """
    loop = next(
        (each for each in ast.walk(scope) if isinstance(each, Loop) and reset in each.body), None
    )
    if loop is None:
        return ()
    before = loop.body[: loop.body.index(reset)]
    bound = {name for each in before for name in stored_in(each)}
    bound |= set(stored_in(loop.target)) if isinstance(loop, ast.For) else set()
    ends = _names_of_ends(scope, step)
    if not any(_plays_to_its_end(each, step, ends) for each in loop.body):
        return ()
    if not bound.isdisjoint(names_in(reset.value)):
        return ()
    edit = Edit(file.path, BEFORE, statement_text(file, reset), line=loop.lineno)
    return (edit, removed(file, reset))


def _plays_to_its_end(loop: ast.stmt, step: ast.Assign, ends: set[str]) -> bool:
    """Return True for a loop of steps that only the end of an episode ends."""
    if not isinstance(loop, ast.While) or step not in loop.body or loop.orelse:
        return False
    test = loop.test
    is_endless = isinstance(test, ast.Constant) and bool(test.value)
    is_of_end = isinstance(test, ast.UnaryOp) and _is_end(test.operand, ends)
    nodes = [node for each in loop.body for node in ast.walk(each)]
    leaving = [node for node in nodes if isinstance(node, ast.Break | ast.Return | ast.Raise)]
    by_end = [
        each.body[-1]
        for each in loop.body
        if isinstance(each, ast.If) and _is_end(each.test, ends) and not each.orelse
    ]
    return (is_of_end or (is_endless and bool(leaving))) and all(n in by_end for n in leaving)


def _is_end(test: ast.expr, ends: set[str]) -> bool:
    """Return True for an end alone: `done`, `done[0]`, `terminated or truncated`."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return not is_and and all(_end_in(each, ends) is not None for each in parts)
