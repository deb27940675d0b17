"""The worked examples of docs/recipes, as files and as lines of files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "docs" / "recipes"

_BLOCK = re.compile(
    r"(?ms)^<!-- (?P<kind>file|in|library): (?P<path>\S+?)(?: (?P<side>after|before): (?P<line>.*?))?"
    r" -->\n```\w*\n(?P<text>.*?)^```$"
)


class Block(NamedTuple):
    """A block of a recipe: a new file, or lines after (or before) a line of a file that is there.
    A library is what the example imagines to be installed.
    """

    kind: str
    path: str
    side: str
    line: str
    text: str

    def write(self, root: Path) -> None:
        """Put it into a copy of the repository."""
        file = root / self.path
        if not self.line:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(self.text)
            return
        lines = file.read_text().splitlines(keepends=True)
        assert self.line + "\n" in lines, f"{self.path} has no line {self.line!r}"
        at = lines.index(self.line + "\n") + (self.side == "after")
        file.write_text("".join([*lines[:at], self.text, *lines[at:]]))


def blocks(recipe: str) -> list[Block]:
    """The blocks of a recipe, in order."""
    page = (RECIPES / f"{recipe}.md").read_text("utf-8")
    return [
        Block(match["kind"], match["path"], match["side"] or "", match["line"] or "", match["text"])
        for match in _BLOCK.finditer(page)
    ]


def files(recipe: str) -> list[str]:
    """The files of the repository that a recipe makes or changes."""
    return list(dict.fromkeys(block.path for block in blocks(recipe) if block.kind != "library"))
