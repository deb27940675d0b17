"""Edits with which a reset() that fails gives back what it has taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import StoreAtOnce
from envdoctor.remedies.applying import statement_text
from envdoctor.remedies.reopening import own_frame
from envdoctor.remedies.source import Candidate, Source, instead, name_of_made, own_attribute, uses


def store_at_once(aim: StoreAtOnce, source: Source) -> Iterator[Candidate]:
    """Edits with which close() follows where the line fails, and sees what was taken before it:
    `self.name = name` moves up to the line that makes it.
    """
    frame = own_frame(aim.error, source)
    around, failed = (source.around(frame), source.statement_at(frame)) if frame else (None, None)
    if around is None or failed not in around[1].body or source.method("close") is None:
        return
    owner, method = around
    guard = (
        "try:",
        *(f"    {line}" for line in statement_text(owner.file, failed)),
        "except BaseException:",
        "    self.close()",
        "    raise",
    )
    closing = instead(owner.file, failed, guard)
    body = method.body
    at = body.index(failed)
    for made in body[:at]:
        name = name_of_made(made)
        store = next((each for each in body[at + 1 :] if name and _stores(each, name)), None)
        if store is None or not _is_free(name, store, body[body.index(made) + 1 :]):
            continue
        lines = (*statement_text(owner.file, made), *statement_text(owner.file, store))
        yield instead(owner.file, made, lines), closing, instead(owner.file, store, ())
    yield (closing,)


def _stores(statement: ast.stmt, name: str) -> bool:
    """Return True for `self.attribute = name`."""
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and bool(own_attribute(statement.targets[0]))
        and isinstance(statement.value, ast.Name)
        and statement.value.id == name
    )


def _is_free(name: str, store: ast.stmt, after: list[ast.stmt]) -> bool:
    """Return True if nothing between sets the variable, or uses the attribute."""
    assert isinstance(store, ast.Assign)
    attribute = own_attribute(store.targets[0])
    between = after[: after.index(store)]
    nodes = [node for statement in between for node in ast.walk(statement)]
    is_bound = any(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in nodes
    )
    is_used = any(own_attribute(node) == attribute for node in nodes)
    return not is_bound and not is_used and uses(store, name) == 1
