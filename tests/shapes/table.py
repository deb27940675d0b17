"""The table of docs/shapes.md: which families of rules are judged in each shape, as the healthy
environments of tests/shapes/envs show. `python -m tests.shapes.table` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.shapes.examined import SHAPES, examined

PAGE = Path(__file__).parents[2] / "docs" / "shapes.md"
BEGIN, END = "<!-- table: python -m tests.shapes.table -->\n", "<!-- end of table -->"
TITLES = {
    "parallel": "PettingZoo Parallel",
    "aec": "PettingZoo AEC",
    "timesteps": "dm_env",
    "rows": "vector environment",
    "words": "gem",
    "players": "TextArena",
}
#: Rules that few environments give anything to look at: no render mode was asked for.
FAMILIES = ("API", "ASY", "CLS", "DET", "HNG", "LEK", "MAK", "PRC", "REG", "RUS", "SFX", "VEC")


def table(document: dict[str, Any]) -> str:
    """One row a family: `yes` where rules of it passed, else the reason why none could."""
    rows = [
        f"| family | {' | '.join(TITLES[shape] for shape in SHAPES)} |",
        f"|---|{'---|' * len(SHAPES)}",
    ]
    for family in FAMILIES:
        cells = [_cell(document, f"{shape}.py:Healthy", family) for shape in SHAPES]
        rows.append(f"| {family} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _cell(document: dict[str, Any], spec: str, family: str) -> str:
    def own(part: str) -> list[dict[str, Any]]:
        return [
            one
            for one in document[part]
            if one["subject"] == spec and one["code"].startswith(family)
        ]

    if own("passed"):
        return "yes"
    return "; ".join(sorted({one["reason"] for one in own("skipped")})) or "-"


def written() -> str:
    """The table as the page has it."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    """Write it."""
    _, document = examined("Healthy")
    head, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(head + BEGIN + table(document) + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
