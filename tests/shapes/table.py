"""The table of docs/shapes/README.md: which families of rules are not judged in which shape, and
why, as the healthy environments of tests/shapes/envs show. `python -m tests.shapes.table` writes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.interpreters import announce
from tests.shapes.examined import FOREIGN, OTHERS, SHAPES, examined, foreign, spec

PAGE = Path(__file__).parents[2] / "docs" / "shapes" / "README.md"
BEGIN, END = "<!-- table: python -m tests.shapes.table -->\n", "<!-- end of table -->"
TITLES = {
    "single": "gymnasium.Env",
    "gym": "gym.Env",
    "torchrl": "TorchRL",
    "di-engine": "DI-engine",
    "duck": "no library",
    "coroutines": "coroutines",
    "parallel": "PettingZoo Parallel",
    "aec": "PettingZoo AEC",
    "timesteps": "dm_env",
    "rows": "vector environment",
    "words": "gem",
    "players": "TextArena",
    "conversations": "SkyRL",
    "sessions": "OpenEnv",
    "tools": "tools",
}
#: Rules that few environments give anything to look at: no render mode was asked for.
FAMILIES = ("API", "ASY", "CLS", "DET", "HNG", "LEK", "MAK", "PRC", "REG", "RUS", "SFX", "VEC")
YES = "yes"


def table(columns: dict[str, list[str]]) -> str:
    """One row for each family that is not judged in a shape."""
    rows = [
        f"| {TITLES[shape]} | {family} | {cell} |"
        for shape in TITLES
        for family, cell in zip(FAMILIES, columns[shape], strict=True)
        if cell != YES
    ]
    return "\n".join(["| environment API | rules | not judged |", "|---|---|---|", *rows]) + "\n"


def cells(document: dict[str, Any], shapes: Iterable[str]) -> dict[str, list[str]]:
    """{shape: its cells}: `yes` where rules of a family passed, else the reason why none could."""
    return {
        shape: [_cell(document, spec(shape, "Healthy"), family) for family in FAMILIES]
        for shape in shapes
    }


def _cell(document: dict[str, Any], subject: str, family: str) -> str:
    def own(part: str) -> list[dict[str, Any]]:
        return [
            entry
            for entry in document[part]
            if entry["subject"] == subject and entry["code"].startswith(family)
        ]

    if own("passed"):
        return YES
    return "; ".join(sorted({entry["reason"] for entry in own("skipped")})) or "-"


def written() -> dict[str, list[str]]:
    """{shape: its cells}, as the page has them."""
    text = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    named = {title: shape for shape, title in TITLES.items()}
    columns = {shape: [YES] * len(FAMILIES) for shape in TITLES}
    for line in text.splitlines()[2:]:
        title, family, reason = (cell.strip() for cell in line.strip("|").split("|"))
        columns[named[title]][FAMILIES.index(family)] = reason
    return columns


def main() -> None:
    """Write it."""
    announce()
    own = SHAPES | OTHERS
    _, document = examined("Healthy", among=frozenset(own))
    columns = cells(document, own)
    for shape in FOREIGN:
        columns |= cells(foreign(shape)[1], [shape])
    head, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(head + BEGIN + table(columns) + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
