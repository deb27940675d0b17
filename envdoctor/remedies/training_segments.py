"""Edits of a program that opens shared memory which another one makes, and removes at its end."""

from __future__ import annotations

import ast

from envdoctor.discovery.syntax import argument
from envdoctor.model.remedy import TOP, Edit
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.source import Candidate, File, assignments, blocks, called, instead
from envdoctor.remedies.training import without_condition

UNREGISTER = "unregister"
PACKAGE, TRACKER, SEGMENT = "multiprocessing", "resource_tracker", "SharedMemory"


def leave_to_maker(file: File, _aim: MendFailure) -> Candidate:
    """`resource_tracker.unregister(memory._name, "shared_memory")` below each line that opens a
    segment: Python before 3.13 has no other way to keep its tracker from removing that.
    """
    if any(called(node) == UNREGISTER for node in ast.walk(file.tree)):
        return _without_condition(file)
    edits: list[Edit] = []
    for node in ast.walk(file.tree):
        value = node.value if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(node, ast.Assign) or called(value) != SEGMENT or not _opens(value):
            continue
        target = node.targets[0]
        if not isinstance(target, ast.Name | ast.Attribute):
            return ()
        name = file.text_of(target)
        line = f'{TRACKER}.{UNREGISTER}({name}._name, "shared_memory")  # its maker removes it'
        edits.append(instead(file, node, (*statement_text(file, node), line)))
    has_tracker = file.imported.get(TRACKER) == f"{PACKAGE}.{TRACKER}"
    return (*edits, *(() if has_tracker else (_imported(file),))) if edits else ()


def _without_condition(file: File) -> Candidate:
    """`resource_tracker.unregister(...)` for `if wanted: resource_tracker.unregister(...)`, of
    segments that the statements above have opened. A condition on more than a switch stays: the
    version of Python, the system, or who has made the segment decide there.
    """
    for block in blocks(file.tree):
        for at, node in enumerate(block):
            body = node.body if isinstance(node, ast.If) and not node.orelse else []
            names = {_unregistered(each) for each in body}
            if not isinstance(node, ast.If) or not body or "" in names:
                continue
            is_elif = not file.text_of(node).startswith("if")
            is_switch = isinstance(node.test, ast.Name | ast.Attribute)
            opened = {
                ast.unparse(target)
                for each in block[:at]
                for target, value in assignments(each)
                if called(value) == SEGMENT and _opens(value)
            }
            is_known = is_switch and not is_elif and names <= opened
            return without_condition(file, node) if is_known else ()
    return ()


def _unregistered(statement: ast.stmt) -> str:
    """`memory` of `resource_tracker.unregister(memory._name, "shared_memory")`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or called(call) != UNREGISTER or not call.args:
        return ""
    return ast.unparse(call.args[0]).removesuffix("._name")


def _opens(value: ast.expr | None) -> bool:
    """Return True for a call without `create=True`, and without `track`."""
    if not isinstance(value, ast.Call):
        return False
    create = argument(value, "create", 1)
    is_made = create is not None and not (
        isinstance(create, ast.Constant) and create.value is False
    )
    return not is_made and argument(value, "track") is None


def _imported(file: File) -> Edit:
    """The import of the tracker, beside others of its package."""
    for node in file.tree.body:
        is_plain = isinstance(node, ast.ImportFrom) and node.lineno == node.end_lineno
        if isinstance(node, ast.ImportFrom) and is_plain and node.module == PACKAGE:
            names = sorted([*(ast.unparse(each) for each in node.names), TRACKER])
            return instead(file, node, (f"from {PACKAGE} import {', '.join(names)}",))
    return Edit(file.path, TOP, (f"from {PACKAGE} import {TRACKER}",))
