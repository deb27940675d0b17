"""Edits that let an environment delete the temporary folder of an episode with the next one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import BEFORE, TOP, Edit
from envdoctor.model.training_aims import DeleteFolder
from envdoctor.remedies.applying import start_of
from envdoctor.remedies.source import (
    Candidate,
    Source,
    called,
    function_at,
    innermost,
    own_attribute,
    replaced,
)

MADE, KEPT, ATTRIBUTE = "mkdtemp", "TemporaryDirectory", "_temporary_folder"
#: Parts of names of functions that tell a person, or another program, where the folder is.
SHOWING = ("print", "log", "info", "debug", "warn", "write", "save", "upload", "record", "emit")


def delete_folder(aim: DeleteFolder, source: Source) -> Iterator[Candidate]:
    """`self._temporary_folder = TemporaryDirectory()` above a line that calls mkdtemp(), and its
    name in place of that call: it is deleted with the last reference to it. Nothing where the
    folder is shown to a person, or handed to what may read it later.
    """
    file = source.files.get(aim.place.file)
    method = function_at(file, aim.place.line) if file else None
    statement = innermost(file, aim.place.line) if file else None
    calls = [node for node in ast.walk(statement or ast.Pass()) if called(node) == MADE]
    call = calls[0] if len(calls) == 1 else None
    if file is None or method is None or statement is None or not isinstance(call, ast.Call):
        return
    owner = next((each for each in file.classes.values() if method in each.body), None)
    first = method.args.args[0].arg if method.args.args else ""
    if owner is None or first != "self" or ATTRIBUTE in file.text or _is_shown(owner, statement):
        return
    function, imports = call.func, tuple[Edit, ...]()
    maker = (
        f"{file.text_of(function.value)}.{KEPT}" if isinstance(function, ast.Attribute) else KEPT
    )
    if isinstance(function, ast.Name):
        imports = (Edit(file.path, TOP, (f"from tempfile import {KEPT}",)),)
    text = file.text_of(call).removeprefix(file.text_of(function))
    lines = (f"self.{ATTRIBUTE} = {maker}{text}",)
    above = Edit(file.path, BEFORE, lines, line=start_of(statement))
    yield (*imports, above, *replaced(file, [(call, f"self.{ATTRIBUTE}.name")]))


def _is_shown(owner: ast.ClassDef, statement: ast.stmt) -> bool:
    """Return whether a call that shows or keeps something gets the folder by its attribute, or the
    line that makes it is such a call.
    """
    names = {own_attribute(node) for node in ast.walk(statement)} - {"", None}
    for node in ast.walk(owner):
        if isinstance(node, ast.Call) and any(word in called(node).lower() for word in SHOWING):
            inside = [*node.args, *(each.value for each in node.keywords)]
            nodes = [each for part in inside for each in ast.walk(part)]
            if any(own_attribute(each) in names or called(each) == MADE for each in nodes):
                return True
    return False
