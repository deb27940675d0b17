"""Lines of tables and keys, which tomllib does not report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

Path = tuple[str, ...]

_BARE = r"[A-Za-z0-9_-]+|\"[^\"\\]*\"|'[^']*'"
_DOTTED = rf"(?:{_BARE})(?:\s*\.\s*(?:{_BARE}))*"
_HEADING = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")


def lines_of(text: str) -> Iterator[tuple[Path, int]]:
    """The line of each table and key. This scan knows no values: a text of several lines that looks
    like TOML can mislead it, and then an error names a line that is near.
    """
    table: Path = ()
    tables: dict[Path, int] = {}  # arrays of tables, as [[subject]]: how many there were
    for number, line in enumerate(text.splitlines(), start=1):
        heading, key = _HEADING.fullmatch(line), _KEY.match(line)
        if heading:
            table = _names(heading[1])
            if line.lstrip().startswith("[["):
                tables[table] = tables.get(table, -1) + 1
                table = (*table, str(tables[table]))
            yield table, number
        elif key:
            yield (*table, *_names(key[1])), number


def _names(dotted: str) -> Path:
    return tuple(name.strip("\"'") for name in re.findall(_BARE, dotted))


def place(file: str, lines: Mapping[Path, int], path: Path) -> str:
    """`pyproject.toml:31`, of the key or else of the nearest table around it."""
    while path and path not in lines:
        path = path[:-1]
    return f"{file}:{lines[path]}" if path in lines else file
