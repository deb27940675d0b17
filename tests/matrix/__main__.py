"""Plays the matrix: `python -m tests.matrix --all --write docs/fault-matrix.md`.

ENVDOCTOR_SB3_PYTHON names an interpreter that has Stable-Baselines3; without one, what needs it is
left out. With --results FILE, what was played is kept there, and not played a second time. Without
--all only the faults whose names hold one of the words that are given.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from typing import Any

from tests.matrix.cell import ALONE, Cell, check_in_framework, complaints, play
from tests.matrix.faults import FAULTS, Fault
from tests.matrix.table import page

Row = dict[str, Any]


def row_of(cell: Cell, sb3_python: str) -> Row:
    """Play one cell and return its row; with the results of the checkers of the frameworks, once
    for a fault at a place.
    """
    result = play(cell)
    row: Row = {
        "cell": str(cell),
        "deed": cell.deed,
        "place": cell.place,
        "where": cell.where,
        "sb3": bool(cell.python),
        "managers": list(cell.managers),
        "exit_code": result.exit_code,
        "seconds": round(result.seconds, 1),
        "codes": result.codes,
        "played": result.played,
        "left": result.left + result.terminal,
        "complaints": complaints(cell, result),
    }
    if cell.where == ALONE and not cell.python:
        row["gymnasium"] = check_in_framework(cell, "gymnasium", "")
        row["stable_baselines3"] = (
            check_in_framework(cell, "stable_baselines3", sb3_python) if sb3_python else ""
        )
    return row


def chosen(words: list[str], everything: bool, sb3_python: str) -> list[Cell]:
    """The first cell of every fault, then the second...: a run that is cut short has something
    of each.
    """
    faults: list[Fault] = [
        fault for fault in FAULTS if everything or any(word in fault.deed for word in words)
    ]
    return [
        cell
        for cells in zip_longest(*(fault.cells(sb3_python) for fault in faults))
        for cell in cells
        if cell is not None
    ]


def kept(path: Path | None) -> dict[str, Row]:
    """The rows of earlier runs; of a cell that was played twice, the last."""
    if path is None or not path.exists():
        return {}
    return {row["cell"]: row for row in map(json.loads, path.read_text().splitlines())}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.matrix", description=__doc__.splitlines()[0]
    )
    parser.add_argument("words", nargs="*", help="parts of names of faults")
    parser.add_argument("--all", action="store_true", help="every fault")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, help="where to keep what was played")
    parser.add_argument("--again", action="store_true", help="play what was played once more")
    parser.add_argument("--write", type=Path, help="the page to write")
    options = parser.parse_args()
    sb3_python = os.environ.get("ENVDOCTOR_SB3_PYTHON", "")
    rows = kept(options.results)
    # What was broken may have been mended.
    rows = {name: row for name, row in rows.items() if not row["complaints"]}
    waiting = [
        cell
        for cell in chosen(options.words, options.all, sb3_python)
        if options.again or str(cell) not in rows
    ]
    began = time.monotonic()

    def play_and_keep(cell: Cell) -> Row:
        row = row_of(cell, sb3_python)
        rows[row["cell"]] = row
        if options.results:
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        state = "; ".join(row["complaints"]) or "kept"
        print(
            f"{time.monotonic() - began:6.0f} s  {row['seconds']:6.1f} s  {row['cell']} "
            f" {row['codes']}  {state}",
            flush=True,
        )
        return row

    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(play_and_keep, waiting))
    if options.write:
        options.write.write_text(page(rows.values(), FAULTS))
    broken = [row for row in done if row["complaints"]]
    print(f"{len(done)} played, {len(broken)} with a promise broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
