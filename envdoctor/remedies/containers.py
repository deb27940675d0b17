"""Edits that remove the containers that a line asked Docker or Podman for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import INSTEAD, Edit
from envdoctor.remedies.acquisition import AcquiredResource, read_acquisition
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    Candidate,
    Function,
    OwningClass,
    Source,
    assignments,
    blocks,
    names_in,
    own_attribute,
)

ASKING = ("run", "create")


def containers_of(source: Source, frame: Frame) -> Iterator[AcquiredResource]:
    """Yield the attributes that hold the names or ids of the containers that a line asked for."""
    file, statement = source.files.get(frame.file), source.statement_at(frame)
    if file is None or statement is None:
        return
    around = source.around(frame)
    if around is not None:
        owner, method = around
        for node in ast.walk(method):
            if isinstance(node, ast.Assign) and _is_of(node, statement):
                yield from _named(source, owner, method, node)
        yield from _of_callers(source, method.name, own=True)
        return
    for node in file.tree.body:
        if isinstance(node, ast.FunctionDef) and node.lineno <= frame.line <= _end(node):
            yield from _of_callers(source, node.name, own=False)


def _end(node: ast.FunctionDef) -> int:
    return node.end_lineno or node.lineno


def _is_of(node: ast.Assign, statement: ast.stmt) -> bool:
    """Return True if an attribute gets what a statement makes, or what its variable has."""
    local = {
        target.id for target, _ in assignments(statement) if isinstance(target, ast.Name)
    } & set(names_in(node.value))
    return bool(own_attribute(node.targets[0])) and (node is statement or bool(local))


def _of_callers(source: Source, name: str, *, own: bool) -> Iterator[AcquiredResource]:
    """Yield the attributes that hold what a method or a function returns."""
    for owner in source.chain:
        for method in owner.methods.values():
            for node in ast.walk(method):
                if not isinstance(node, ast.Assign):
                    continue
                for call in ast.walk(node.value):
                    if isinstance(call, ast.Call) and _is_call_of(call, name, own=own):
                        yield from _named(source, owner, method, node)
                        break


def _is_call_of(call: ast.Call, name: str, *, own: bool) -> bool:
    if own:
        return own_attribute(call.func) == name
    words = [each.value for each in call.args if isinstance(each, ast.Constant)]
    return isinstance(call.func, ast.Name) and call.func.id == name and bool({*ASKING} & {*words})


def _named(
    source: Source, owner: OwningClass, method: Function, node: ast.Assign
) -> Iterator[AcquiredResource]:
    read = read_acquisition(source, owner, method, node)
    if read is not None and read.attributes and len(read.attributes) == 1:
        yield replace(read, value=None)


def ended_at_once(source: Source, acquisition: AcquiredResource) -> Candidate:
    """Edits of close() that remove a container, in place of a command of a shell that does so later
    in the background: `(sleep 10; docker stop ...) &`.
    """
    owner, close = source.method("close") or (None, None)
    every = blocks(close) if close is not None else ()
    for *ends, last in (block for block in every if len(block) > 1):
        forgets = isinstance(last, ast.Assign) and own_attribute(last.targets[0])
        names = {own_attribute(node) for each in ends for node in ast.walk(each)}
        is_own = owner is not None and forgets == acquisition.attributes[0] and forgets in names
        if owner is not None and is_own and any(map(_is_background, ends)):
            lines = removing(acquisition)
            end = ends[-1].end_lineno or 0
            put = Edit(owner.file.path, INSTEAD, lines, line=ends[0].lineno, end=end)
            return (put, *needed(owner.file, lines))
    return ()


def _is_background(statement: ast.stmt) -> bool:
    """Return True for a statement with the text of a command that a shell does not wait for."""
    texts = (node.value for node in ast.walk(statement) if isinstance(node, ast.Constant))
    return any(isinstance(text, str) and text.rstrip().endswith("&") for text in texts)


def removing(acquisition: AcquiredResource) -> tuple[str, ...]:
    """The statements that remove a container, running or not."""
    text = acquisition.owner.file.text
    client = "podman" if "podman" in text and "docker" not in text else "docker"
    words = f'["{client}", "rm", "--force", self.{acquisition.attributes[0]}]'
    return (f"command = {words}", "subprocess.run(command, check=True, stdout=subprocess.DEVNULL)")
