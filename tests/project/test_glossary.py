"""Plain words: no banned turn in the strings, docstrings and comments of envdoctor, nor in the
English pages. A failure shows each place and what to write instead.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project.words import BANNED_TURNS, BLANK
from tests.support import syntax

ROOT = Path(__file__).parents[2]

_BANNED = {
    re.compile(rf"\b(?:{turn.replace(' ', BLANK)})\b", re.IGNORECASE): instead
    for turn, instead in BANNED_TURNS.items()
}
_ANY_BANNED = re.compile("|".join(pattern.pattern for pattern in _BANNED), re.IGNORECASE)

#: Not read: docs/zh is not in English.
UNREAD = ("docs/zh/",)

_FENCE = re.compile(r"(?ms)^([ >]*)(```+|~~~+).*?^\1\2[ ]*$|<!--.*?-->|``[^`]+``|`[^`]+`")


class Text(NamedTuple):
    """Text for people, with the line of the file at which it begins."""

    line: int
    words: str


def in_python(source: str) -> Iterator[Text]:
    """String literals and docstrings, concatenated ones as one text; comments, a block as one, where
    the source has a banned turn: tokens take longer than all else.
    """
    yield from _strings(syntax.tree(source))
    if _ANY_BANNED.search(source.replace("#:", "#")):
        yield from _comments(source)


def _comments(source: str) -> Iterator[Text]:
    block: list[str] = []
    begins = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        alone = not token.line[: token.start[1]].strip()
        if not (block and alone and token.start[0] == last + 1):
            yield Text(begins, "\n".join(block))
            block, begins = [], token.start[0]
        block.append(token.string.lstrip("#: "))
        last = token.start[0]
    yield Text(begins, "\n".join(block))


def _strings(node: ast.AST) -> Iterator[Text]:
    if isinstance(node, ast.JoinedStr):
        yield Text(node.lineno, "".join(map(_part, node.values)))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _strings(part.value)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield Text(node.lineno, node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _strings(child)


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "{}"


def in_markdown(page: str) -> Iterator[Text]:
    """The prose of a page. Code keeps its lines, so that places stay right, and loses its words."""
    yield Text(1, _FENCE.sub(lambda code: "`" + "\n" * code[0].count("\n"), page))


def found(name: str, text: str) -> list[str]:
    """Each banned turn as `file:line: what is written there; write: what to write instead`."""
    texts = in_python(text) if name.endswith(".py") else in_markdown(text)
    return [
        f"{name}:{piece.line + piece.words.count(chr(10), 0, match.start())}:"
        f" {_around(piece.words, match)}; write: {instead}"
        for piece in texts
        for pattern, instead in _BANNED.items()
        for match in pattern.finditer(piece.words)
    ]


def _around(words: str, match: re.Match[str]) -> str:
    return " ".join(words[max(0, match.start() - 30) : match.end() + 30].split())


def files() -> list[Path]:
    """Return the files that are read."""
    every = [
        *(ROOT / "envdoctor").rglob("*.py"),
        *(ROOT / "envdoctor").rglob("*.json"),
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    return sorted(file for file in every if not name_of(file).startswith(UNREAD))


def name_of(file: Path) -> str:
    """The path below the root of the repository."""
    return file.relative_to(ROOT).as_posix()


def test_no_banned_turn() -> None:
    read = files()
    assert len(read) > 500
    bad = [line for file in read for line in found(name_of(file), file.read_text("utf-8"))]
    assert not bad, f"{len(bad)} banned turns:\n" + "\n".join(bad)


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("a.py", "x = 1\nsay('a cache is no leak')\n", 2, "a cache is no leak"),
        ("a.py", "say(f'{path} is no {kind}')\n", 1, "{} is no {}"),
        ("a.py", "say('there are'\n    ' no cores')\n", 1, "there are no cores"),
        ("a.py", 'def f():\n    """A.\n\n    Raises whatever\n    it gets."""\n', 4, "whatever it"),
        ("a.py", "x = 1  # closed by nobody\n", 1, "closed by nobody"),
        ("a.py", "# What\n# was\n#: told once.\n", 2, "What was told once."),
        ("a.py", "say(f'{x!r} {say(\"Whoever asks\")}')\n", 1, "Whoever asks"),
        ("a.md", "# A\n\n```sh\na # nobody\n```\n\nOne that\ntells of it\n", 8, "tells of it"),
        ("a.md", "The `-v` stands\nin a table.\n", 1, "stands in a table."),
        ("a.json", '{"description": "somebody"}', 1, '{"description": "somebody"}'),
    ],
)
def test_a_planted_turn_is_found(name: str, text: str, line: int, words: str) -> None:
    (entry,) = found(name, text)
    assert entry.startswith(f"{name}:{line}: ")
    assert words in entry
    assert any(entry.endswith(f"; write: {instead}") for instead in BANNED_TURNS.values())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "NOBODY = 1\nsay('it is no longer there', whatever=NOBODY)\n"),
        ("a.py", "# it understands in time\nwhoever = f'{whoever}: this is not told'\n"),
        ("a.md", "Where `nobody` is:\n\n```text\nthis is no leak\n```\n\nThere is not one.\n"),
        ("a.md", "> ```sh\n> whatever\n> ```\n\n<!-- nobody\n-->\n"),
    ],
)
def test_code_and_plain_words_pass(name: str, text: str) -> None:
    assert found(name, text) == []
