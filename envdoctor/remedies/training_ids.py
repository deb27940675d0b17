"""Edits with which an id is registered where the module of its environment is imported: in each
process that makes one by `module:id`, and not in that of the script alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePath

from envdoctor.discovery.syntax import argument
from envdoctor.model.remedy import BEFORE, TOP, Edit
from envdoctor.model.training_aims import MendFailure, RegisterWithout
from envdoctor.remedies.removing import without_entry
from envdoctor.remedies.source import (
    Candidate,
    File,
    Source,
    assignments,
    called,
    function_at,
    last_name,
    names_in,
    removed,
    replaced,
    uses,
)

REGISTER, ENTRY_POINT = "register", "entry_point"


def register_in_module(aim: MendFailure, source: Source) -> Iterator[Candidate]:
    """`library.register(id="Arm-v0", ...)` at the end of the module with the class, and
    `"arm:Arm-v0"` in the script for `"Arm-v0"`, where the script registers one id.
    """
    script = source.files.get(source.class_file)
    if aim.kind != "id" or script is None:
        return
    calls = [
        each
        for each in ast.walk(script.tree)
        if isinstance(each, ast.Expr) and called(each.value) == REGISTER
    ]
    call = calls[0].value if len(calls) == 1 else None
    if not isinstance(call, ast.Call):
        return
    module, _, name = _text(argument(call, ENTRY_POINT, 1)).partition(":")
    home = next((f for p, f in source.files.items() if PurePath(p).stem == module), None)
    if home is None or home is script or name not in home.classes:
        return
    if names_in(ast.Tuple([each.value for each in call.keywords if each.arg != "id"], ast.Load())):
        return  # they may be of the script alone
    identifier, renamed = _renamed(script, call, module)
    if identifier and renamed:
        moved = _registered(home, script, call, identifier)
        yield (*renamed, *_left_out(script, calls[0]), *moved)


def _text(node: ast.expr | None) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _renamed(script: File, call: ast.Call, module: str) -> tuple[str, Candidate]:
    """The id, and the edits that name its module wherever the script has the id."""
    known = argument(call, "id", 0)
    values = [
        value
        for node in ast.walk(script.tree)
        for target, value in assignments(node)
        if isinstance(known, ast.Name) and ast.unparse(target) == known.id
    ]
    text = _text(known) or (_text(values[0]) if len(values) == 1 else "")
    inside = list(ast.walk(call))
    texts = [
        (node, f'"{module}:{text}"')
        for node in ast.walk(script.tree)
        if isinstance(node, ast.Constant) and node.value == text and node not in inside
    ]
    return ("", ()) if ":" in text else (text, replaced(script, texts) if text else ())


def _registered(home: File, script: File, call: ast.Call, identifier: str) -> Iterator[Edit]:
    """The call at the end of the module of the class."""
    others = [
        f"{each.arg}={script.text_of(each.value)}"
        for each in call.keywords
        if each.arg not in (None, "id")
    ]
    others += [f'{ENTRY_POINT}="{_text(call.args[1])}"'] if len(call.args) > 1 else []
    library = script.full_name(call.func).partition(".")[0]
    package = next((name for name, full in home.imported.items() if full == library), "")
    line = f'{package or library}.{REGISTER}(id="{identifier}", {", ".join(others)})'
    end = home.tree.body[-1].end_lineno or 0
    yield Edit(home.path, BEFORE, ("", "", line), line=end + 1)
    if not package:
        yield Edit(home.path, TOP, (f"import {library}",))


def _left_out(script: File, statement: ast.Expr) -> Iterator[Edit]:
    """The script without the call, and without an import that only this used."""
    yield removed(script, statement)
    for node in script.tree.body:
        names = [each.asname or each.name for each in getattr(node, "names", ())]
        is_alone = isinstance(node, ast.ImportFrom) and names == [REGISTER]
        if is_alone and uses(script.tree, REGISTER) == 1:
            yield removed(script, node)


def register_without(aim: RegisterWithout, source: Source) -> Iterator[Candidate]:
    """`kwargs={"config": config}` of a register() for `kwargs={"config": config, "recorder": ...}`;
    where that is a variable, its dict without the entry, or without the update() that adds it.
    """
    file, statement = source.files.get(aim.place.file), source.statement_at(aim.place)
    calls = [
        node
        for node in (ast.walk(statement) if statement is not None else ())
        if isinstance(node, ast.Call) and last_name(node.func) == REGISTER
    ]
    keywords = argument(calls[0], "kwargs") if len(calls) == 1 else None
    if file is None or keywords is None:
        return
    scope = function_at(file, aim.place.line) or file.tree
    dicts = _dicts_of(scope, last_name(keywords)) if isinstance(keywords, ast.Name) else [keywords]
    full = [each for each in dicts if isinstance(each, ast.Dict) and _has(each, aim.key)]
    yield replaced(file, [(each, without_entry(each, aim.key, file)) for each in full])
    for node in ast.walk(scope):
        call = node.value if isinstance(node, ast.Expr) else None
        if not (isinstance(node, ast.Expr) and isinstance(call, ast.Call) and len(call.args) == 1):
            continue
        added = _dicts_of(scope, last_name(call.args[0]))
        is_update = not call.keywords and ast.unparse(call.func) == f"{last_name(keywords)}.update"
        entries = added[0] if len(added) == 1 else None
        is_alone = isinstance(entries, ast.Dict) and len(entries.keys) == 1
        if is_update and is_alone and isinstance(entries, ast.Dict) and _has(entries, aim.key):
            yield (removed(file, node),)


def _dicts_of(scope: ast.AST, name: str) -> list[ast.expr]:
    """The values that a variable is assigned."""
    return [
        value
        for node in ast.walk(scope)
        for target, value in assignments(node)
        if name and isinstance(target, ast.Name) and target.id == name
    ]


def _has(node: ast.Dict, key: str) -> bool:
    return key in {each.value for each in node.keys if isinstance(each, ast.Constant)}
