"""Edits that take out calls which change what belongs to the whole process."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.remedy import INSTEAD, Edit, LogPrints, Remove
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import File, Source, replaced

Candidate = tuple[Edit, ...]
LOGGER = "logging.getLogger(__name__)"


def remove(aim: Remove, source: Source) -> Iterator[Candidate]:
    """Edits without the calls in the lines of an aim; none where one of these does more."""
    edits: list[Edit] = []
    for place in aim.places:
        file, statement = source.files.get(place.file), source.statement_at(place)
        if file is None or not _is_call(statement):
            return
        assert statement is not None
        lines = ("pass",) if _is_alone(statement, file) else ()
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        edits.append(Edit(file.path, INSTEAD, lines, line=first, end=last))
    yield tuple(dict.fromkeys(edits))


def _is_call(statement: ast.stmt | None) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _is_alone(statement: ast.stmt, file: File) -> bool:
    """Return True if a block has no other statement."""
    return any(
        getattr(node, block, None) == [statement]
        for node in ast.walk(file.tree)
        for block in ("body", "orelse", "finalbody")
    )


def log_prints(_aim: LogPrints, source: Source) -> Iterator[Candidate]:
    """Edits that log in the methods of the class, and in functions beside it, what they print."""
    edits: list[Edit] = []
    for file in {owner.file.path: owner.file for owner in source.chain}.values():
        texts = [(node, _logged(node, file)) for node in _prints(file, source)]
        edits += [*replaced(file, texts), *needed(file, [text for _, text in texts])]
    yield tuple(edits)


def _prints(file: File, source: Source) -> list[ast.Call]:
    own = [owner.node for owner in source.chain if owner.file.path == file.path]
    functions = [node for node in file.tree.body if isinstance(node, ast.FunctionDef)]
    return [
        node
        for place in (*own, *functions)
        for node in ast.walk(place)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and node.args
        and not node.keywords
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
    ]


def _logged(call: ast.Call, file: File) -> str:
    """The call of a logger with the same text."""
    texts = [file.text_of(argument) for argument in call.args]
    if len(texts) == 1 and isinstance(call.args[0], ast.JoinedStr | ast.Constant):
        return f"{LOGGER}.info({texts[0]})"
    pattern = " ".join(["%s"] * len(texts))
    return f'{LOGGER}.info("{pattern}", {", ".join(texts)})'
