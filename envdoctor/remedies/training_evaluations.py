"""Edits that let the vectorizer of an evaluation learn nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, Edit
from envdoctor.model.training_aims import EvaluateOnly
from envdoctor.remedies.applying import start_of
from envdoctor.remedies.source import Candidate, Source, called, function_at, innermost, stored_in

PLAYING = ("step", "reset")
ARGUMENT, POSITION = "env", 1  # of a function that evaluates a policy
LOOPS = (ast.For, ast.While)


def evaluate_only(aim: EvaluateOnly, source: Source) -> Iterator[Candidate]:
    """`eval_env.training = False` above the line that plays in it, or above the outermost loop
    around that line in which the name is not bound.
    """
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    if file is None or statement is None:
        return
    names = {name for node in ast.walk(statement) if (name := _vectorizer_in(node))}
    scope = function_at(file, statement.lineno) or file.tree
    if len(names) != 1 or any(
        _sets(node, name, aim.settings) for name in names for node in scope.body
    ):
        return
    (name,) = names
    loops = [
        each
        for each in ast.walk(scope)
        if isinstance(each, LOOPS) and each.lineno <= statement.lineno <= (each.end_lineno or 0)
        if name.partition(".")[0] not in stored_in(each)
    ]
    above = min((statement, *loops), key=lambda each: each.lineno)
    lines = tuple(f"{name}.{setting} = False" for setting in aim.settings)
    yield (Edit(file.path, BEFORE, lines, line=start_of(above)),)


def _vectorizer_in(node: ast.AST) -> str:
    """`self.env` of `self.env.step(action)` and of `evaluate_policy(model, self.env)`."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute) and node.func.attr in PLAYING:
        return _name(node.func.value)
    if "evaluate" not in called(node):
        return ""
    keyword = next((each.value for each in node.keywords if each.arg == ARGUMENT), None)
    return _name(keyword or (node.args[POSITION] if len(node.args) > POSITION else None))


def _name(node: ast.expr | None) -> str:
    """The text of a name, or of an attribute of one."""
    inner = node.value if isinstance(node, ast.Attribute) else node
    return ast.unparse(node) if node is not None and isinstance(inner, ast.Name) else ""


def _sets(node: ast.AST, name: str, settings: tuple[str, ...]) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(ast.unparse(each) == f"{name}.{key}" for each in targets for key in settings)
