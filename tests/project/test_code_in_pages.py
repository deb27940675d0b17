"""Each block of Python in the pages compiles."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"(?ms)^(?P<margin>[ >]*)```(?:python|py)\b[^\n]*\n(?P<code>.*?)^(?P=margin)```[ ]*$"
)


def code_blocks(page: str) -> Iterator[str]:
    """The blocks of Python of a page, without their margin."""
    for match in _BLOCK.finditer(page):
        lines = [line.removeprefix(match["margin"]) for line in match["code"].splitlines()]
        yield textwrap.dedent("\n".join(lines))


def compiles(code: str) -> bool:
    """True for Python, also with `await` outside of a function."""
    try:
        compile(code, "", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    except SyntaxError:
        return False
    return True


def test_blocks_of_all_pages_compile() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    blocks = [(page.name, code) for page in pages for code in code_blocks(page.read_text("utf-8"))]
    assert len(blocks) > 20
    assert [(name, code) for name, code in blocks if not compiles(code)] == []


def test_block_with_joined_lines_does_not_compile() -> None:
    (code,) = code_blocks("A\n\n```python\ndef f():\n    the\n    end return 1\n```\n")
    assert not compiles(code)
