"""Plays companies of illnesses: `python -m tests.company --pairs N --triples N --seed S`.

With --results FILE, what was played is kept there as JSON lines, and not played a second time.
`--table` writes docs/company.md from it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from tests.company.catalogue import ILLNESSES
from tests.company.playing import HIDDEN, Row, commands, groups, play, sample

Key = tuple[tuple[str, ...], str]


def kept(path: Path | None) -> dict[Key, Row]:
    """The rows of earlier runs of the same code; of what was played twice, the last."""
    if path is None or not path.exists():
        return {}
    rows = map(json.loads, path.read_text().splitlines())
    code = digest()
    return {(tuple(row["company"]), row["command"]): row for row in rows if row["code"] == code}


@cache
def digest() -> str:
    """What tells one state of envdoctor, and of the illnesses, from another."""
    root, whole = Path(__file__).parents[2], hashlib.sha256()
    for folder in ("envdoctor", "tests/company"):
        for file in sorted((root / folder).rglob("*.py")):
            whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def chosen(options: argparse.Namespace) -> list[tuple[str, ...]]:
    """The companies that are asked for: named ones, or each alone, pairs and triples."""
    if options.names:
        return [tuple(name.split("+")) for name in options.names]
    alone = [(illness.name,) for illness in ILLNESSES if not illness.burden]
    pairs = list(groups(2)) if options.pairs < 0 else sample(2, options.pairs, options.seed)
    return [*alone, *pairs, *sample(3, options.triples, options.seed)]


def line(row: Row, began: float) -> str:
    """What is printed of one run."""
    bad = [
        f"{name} {' '.join(fate).upper() if fate[0] == HIDDEN else ': '.join(fate)}"
        for name, fate in row["fates"].items()
        if fate[0] != "told"
    ]
    bad += [f"BASELINED {name}" for name in row["gate"]]
    spent, who = time.monotonic() - began, "+".join(row["company"])
    return f"{spent:6.0f} s {row['seconds']:6.1f} s {row['command']:5} {who}: {'; '.join(bad) or 'told'}"


def main(words: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.company")
    parser.add_argument("names", nargs="*", help="companies, as ThreadLeft+ListPerStep")
    parser.add_argument("--pairs", type=int, default=-1, help="how many pairs; all without it")
    parser.add_argument("--triples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, help="where to keep what was played")
    parser.add_argument("--again", action="store_true", help="play what was hidden once more")
    parser.add_argument("--table", action="store_true", help="write docs/company.md, play nothing")
    options = parser.parse_args(words)
    rows = kept(options.results)
    if options.table:
        from tests.company.table import write

        write(rows.values())
        return 0
    waiting = [
        (group, command)
        for group in chosen(options)
        for command in commands(group)
        if options.names
        or (group, command) not in rows
        or (options.again and _is_bad(rows[group, command]))
    ]
    began = time.monotonic()

    def played(key: Key) -> Row:
        row = {**play(*key), "code": digest()}
        if options.results:
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        print(line(row, began), flush=True)
        if options.names:
            print("    " + "\n    ".join(row["findings"]), flush=True)
        return row

    with ThreadPoolExecutor(options.jobs) as pool:
        for key, row in zip(waiting, pool.map(played, waiting), strict=True):
            rows[key] = row
    asked = [(group, command) for group in chosen(options) for command in commands(group)]
    bad = [rows[key] for key in asked if _is_bad(rows[key])]
    print(f"{len(waiting)} played, {len(bad)} of {len(asked)} with a hidden illness")
    return 1 if bad else 0


def _is_bad(row: Row) -> bool:
    return bool(row["gate"]) or any(fate[0] == HIDDEN for fate in row["fates"].values())


if __name__ == "__main__":
    sys.exit(main())
