"""Edits with which a training and its environment follow one interface, where one of them is as it
was before Gym 0.26.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import ReturnAll
from envdoctor.model.failure_aims import TakeArguments
from envdoctor.model.remedy import TOP, Edit
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.reset_arguments import take_arguments
from envdoctor.remedies.returning import return_all
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    called,
    function_at,
    innermost,
    instead,
    last_name,
    names_in,
    names_of_module,
    replaced,
)

RESET, STEP = "reset", "step"
NAMES, ENDED = ("terminated", "truncated"), ("terminated", "term")
OLD = 4  # values of step()
#: What each wrapper has, and hands on.
OF_WRAPPERS = frozenset(
    {
        *("reset", "step", "render", "close", "unwrapped", "env", "spec", "metadata"),
        *("action_space", "observation_space", "reward_range", "render_mode", "np_random"),
        *("get_wrapper_attr", "has_wrapper_attr", "set_wrapper_attr", "class_name"),
    }
)


def follow_interface(aim: MendFailure, source: Source) -> Iterator[Candidate]:
    """Edits of the environment's class, where that is the user's own and is the older one; else of
    the line that takes the values of step(), and of those that take what reset() returns.
    """
    file = source.files.get(aim.place.file)
    own = source.of(aim.name)
    if aim.kind == "arguments" and own.chain:
        yield from take_arguments(TakeArguments(aim.name), source)
    if aim.kind == "values":
        yield from return_all(ReturnAll(), own) if own.chain else ()
        yield _take_five(file, aim) if file is not None else ()


def _take_five(file: File, aim: MendFailure) -> Candidate:
    """`observation, reward, terminated, truncated, info = env.step(action)`, and below that
    `done = terminated or truncated`; `observation, _ = env.reset()`.
    """
    statement = innermost(file, aim.place.line)
    if not isinstance(statement, ast.Assign) or called(statement.value) != STEP:
        return ()
    target, call = statement.targets[0], statement.value
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if len(parts) != OLD or len(statement.targets) > 1 or statement.end_lineno != statement.lineno:
        return ()
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    names = [*map(file.text_of, parts)]
    lines = [f" = {file.text_of(call)}"]
    if last_name(parts[2]) == "_":
        names.insert(2, "_")
    elif last_name(parts[2]) in ENDED:  # what is lacking is the info
        names.append("_")
    elif {*NAMES} & {*names_in(file.tree)} or not last_name(parts[2]):
        return ()
    else:
        lines.append(f"{names[2]} = {' or '.join(NAMES)}")
        names[2:3] = NAMES
    lines[0] = ", ".join(names) + lines[0]
    owner = ast.unparse(call.func.value)
    texts = [
        (node.targets[0], f"{file.text_of(node.targets[0])}, _")
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1
        if isinstance(node.targets[0], ast.Name | ast.Attribute)
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
        if last_name(node.value.func) == RESET and ast.unparse(node.value.func.value) == owner
    ]
    return (instead(file, statement, tuple(lines)), *replaced(file, texts))


def import_registrar(file: File, aim: MendFailure) -> Candidate:
    """`import library`, whose import registers the id."""
    if aim.name.partition(".")[0] in names_of_module(file):
        return ()
    line = f"import {aim.name}  # noqa: F401, registers its environments"
    return (Edit(file.path, TOP, (line,)),)


def wrap_once(file: File, aim: MendFailure) -> Candidate:
    """`make_env()` for `Wrapper(make_env(), size)`, where the file wraps in it once more, with the
    same further arguments.
    """
    calls = [
        node
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call) and called(node) == aim.name and node.args
    ]
    arguments = {tuple(map(ast.unparse, (*node.args[1:], *node.keywords))) for node in calls}
    inside = set(ast.walk(innermost(file, aim.place.line) or ast.Pass()))
    again = next((node for node in calls if node in inside), None)
    if len(calls) < 2 or len(arguments) > 1 or again is None:
        return ()
    return replaced(file, [(again, file.text_of(again.args[0]))])


def unwrap(file: File, aim: MendFailure) -> Candidate:
    """`env.unwrapped.limits` for `env.limits`, and so for all in that function that wrappers do not
    have, either.
    """
    scope = function_at(file, aim.place.line) or file.tree
    statement = innermost(file, aim.place.line)
    receivers = {
        ast.unparse(node.value)
        for node in ast.walk(statement or ast.Pass())
        if isinstance(node, ast.Attribute) and node.attr == aim.name
    }
    if len(receivers) != 1 or not receivers.isdisjoint({"self"}):
        return ()
    (receiver,) = receivers
    texts = [
        (node.value, f"{receiver}.unwrapped")
        for node in ast.walk(scope)
        if isinstance(node, ast.Attribute) and node.attr not in OF_WRAPPERS
        if isinstance(node.ctx, ast.Load) and ast.unparse(node.value) == receiver
    ]
    return replaced(file, texts)
