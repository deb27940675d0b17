"""Edits with which instances share a logger: the logging module keeps each name for good."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.remedies.source import Candidate, File, Source, assignments, own_attribute, replaced

KEPT = "logging.Logger.manager.loggerDict"
#: The methods that an adapter has as a logger has them.
SAYS = frozenset(
    ["critical", "debug", "error", "exception", "info", "isEnabledFor", "log", "warning"]
)


def share_logger(source: Source) -> Iterator[Candidate]:
    """Edits that put the number of an instance beside the name of its logger: the logger "arm.7"
    becomes an adapter of the logger "arm". None where the logger is used for more than messages.
    """
    for owner in source.chain:
        for node in ast.walk(owner.node):
            for target, value in assignments(node):
                name = own_attribute(target)
                text = _adapter(value, owner.file) if name and _only_speaks(name, source) else ""
                if text:
                    yield replaced(owner.file, [(value, text)])


def _adapter(value: ast.expr, file: File) -> str:
    """The adapter of the logger whose name is the part in front of what differs."""
    if not isinstance(value, ast.Call) or file.full_name(value.func) != "logging.getLogger":
        return ""
    name = value.args[0] if len(value.args) == 1 and not value.keywords else None
    if not isinstance(name, ast.JoinedStr) or len(name.values) != 2:
        return ""
    head, differs = name.values
    if not isinstance(head, ast.Constant) or not isinstance(differs, ast.FormattedValue):
        return ""
    common = str(head.value).rstrip(".-_:/ ")
    function = ast.unparse(value.func)
    adapter = function.replace("getLogger", "LoggerAdapter")
    if not common or adapter == function or "." not in function:
        return ""
    number = ast.unparse(differs.value)
    return f'{adapter}({function}("{common}"), {{"instance": {number}}})'


def _only_speaks(name: str, source: Source) -> bool:
    """Return True if a logger is only asked to write messages."""
    for file in source.files.values():
        parents = {
            child: node for node in ast.walk(file.tree) for child in ast.iter_child_nodes(node)
        }
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Attribute) and node.attr == name:
                parent = parents.get(node)
                speaks = isinstance(parent, ast.Attribute) and parent.attr in SAYS
                if isinstance(node.ctx, ast.Load) and not speaks:
                    return False
    return True
