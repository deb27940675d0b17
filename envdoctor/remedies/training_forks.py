"""Edits with which a process makes the environment that it plays, in place of its parent."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from envdoctor.model.remedy import BEFORE, INSTEAD, Edit
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    called,
    instead,
    last_name,
    name_of_made,
    names_in,
    names_of_module,
    replaced,
    takes,
    uses,
)
from envdoctor.remedies.training import assigned_at


def make_in_process(file: File, aim: MendFailure) -> Candidate:
    """The statements that make an environment, and call its methods, go from above the line that
    starts a process to the function that this runs, if nothing else has the environment.
    """
    place = assigned_at(file, aim.place.line)
    if place is None:
        return ()
    scope, block, at = place
    name = name_of_made(block[at])
    moved = [block[at], *_own_calls(block[at + 1 :], name)]
    starting = block[at + len(moved)] if at + len(moved) < len(block) else None
    calls = [each for each in ast.walk(starting or ast.Pass()) if called(each) == "Process"]
    call = calls[0] if len(calls) == 1 else None
    function = _target(file, call) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or function is None or not takes(function, name):
        return ()
    if uses(scope, name) != sum(uses(each, name) for each in moved) + 1:
        return ()
    known = names_of_module(file) | {name, *dir(builtins)}
    if not all(set(names_in(each)) <= known for each in moved):
        return ()
    edits = _without(file, call, name)
    head = _head(file, function, name)
    if not edits or not head:
        return ()
    text = tuple(line for each in moved for line in statement_text(file, each))
    first = function.body[1 if ast.get_docstring(function) is not None else 0]
    return (
        head,
        Edit(file.path, BEFORE, text, line=first.lineno),
        *(instead(file, each, ()) for each in moved),
        *edits,
    )


def _own_calls(rest: Sequence[ast.stmt], name: str) -> Iterator[ast.stmt]:
    """The statements that follow at once and call methods of it: `env.reset(seed=0)`."""
    for each in rest:
        value = each.value if isinstance(each, ast.Expr) else None
        function = value.func if isinstance(value, ast.Call) else None
        if not isinstance(function, ast.Attribute) or ast.unparse(function.value) != name:
            return
        yield each


def _target(file: File, call: ast.Call) -> Function | None:
    """The function of the file that a process runs, which nothing else calls."""
    targets = [last_name(each.value) for each in call.keywords if each.arg == "target"]
    made = [
        node
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and [node.name] == targets
    ]
    return made[0] if len(made) == 1 and uses(file.tree, made[0].name) == 1 else None


def _without(file: File, call: ast.Call, name: str) -> Candidate:
    """`Process(target=play)` for `Process(target=play, args=(env,))`."""
    arguments = next((each for each in call.keywords if each.arg == "args"), None)
    values = arguments.value.elts if arguments and isinstance(arguments.value, ast.Tuple) else []
    left = [file.text_of(each) for each in values if last_name(each) != name]
    if arguments is None or len(left) != len(values) - 1:
        return ()
    others = [
        *map(file.text_of, call.args),
        *(
            f"{each.arg}={file.text_of(each.value)}"
            for each in call.keywords
            if each is not arguments
        ),
        *([f"args=({', '.join(left)},)"] if left else []),
    ]
    return replaced(file, [(call, f"{file.text_of(call.func)}({', '.join(others)})")])


def _head(file: File, function: Function, name: str) -> Edit | None:
    """The first line of the function without this argument, where it is plain."""
    names = [each.arg for each in function.args.args]
    plain = f"def {function.name}({', '.join(names)}):"
    if file.lines[function.lineno - 1].strip() != plain:
        return None
    left = ", ".join(each for each in names if each != name)
    line = f"def {function.name}({left}):"
    return Edit(file.path, INSTEAD, (line,), line=function.lineno)
