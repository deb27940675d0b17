"""Plays companies of illnesses: `python -m tests.company --pairs N --triples N --seed S`.

Pairs and triples are played in companies of `--size`, in which many of them stand together; what
such a company does not settle is played in smaller ones, and then alone. `--size 3` plays each by itself.

With --results FILE, what was played is kept there as JSON lines, and not played a second time.
`--table` writes docs/company.md from it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from tests.company.catalogue import BY_NAME, ILLNESSES
from tests.company.covering import covering
from tests.company.playing import (
    HIDDEN,
    Row,
    clash,
    commands,
    groups,
    play,
    sample,
    settles,
)

#: Of the companies in which those stand that a large one did not settle, before each is played alone.
SMALLER = 4

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
    """Return a digest of the state of envdoctor and of the illnesses."""
    root, digits = Path(__file__).parents[2], hashlib.sha256()
    for folder in ("envdoctor", "tests/company"):
        for file in sorted((root / folder).rglob("*.py")):
            digits.update(file.read_bytes())
    return digits.hexdigest()[:16]


def wanted(options: argparse.Namespace) -> list[Key]:
    """The companies on which a verdict is asked for: each illness alone, pairs and triples; each with
    a command that looks for one of it.
    """
    alone = [(illness.name,) for illness in ILLNESSES if not illness.burden]
    pairs = list(groups(2)) if options.pairs < 0 else sample(2, options.pairs, options.seed)
    companies = [*alone, *pairs, *sample(3, options.triples, options.seed)]
    return [(names, command) for names in companies for command in commands(names)]


def together(waiting: Iterable[Key], size: int) -> list[Key]:
    """The companies in which all of these stand. What an illness that blinds hides is no matter of
    the others beside it: it has companies of its own.
    """
    small = list(waiting)
    if size <= 3:
        return small
    parts: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for names, command in small:
        blind = next((name for name in names if BY_NAME[name].blinds), "")
        parts.setdefault((command, blind), []).append(names)
    return [
        (names, command)
        for (command, _), part in parts.items()
        for names in covering(part, size, clash)
    ]


def line(row: Row, began: float) -> str:
    """Return the line that is printed of one run."""
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
    parser.add_argument("--size", type=int, default=8, help="of the companies that are played")
    parser.add_argument("--table", action="store_true", help="write docs/company.md, play nothing")
    options = parser.parse_args(words)
    rows = kept(options.results)
    if options.table:
        from tests.company.table import write

        write(rows.values(), wanted(options))
        return 0
    began = time.monotonic()

    def play_and_keep(key: Key) -> None:
        try:
            row = {**play(*key), "code": digest()}
        except subprocess.TimeoutExpired as error:  # left for the next run, as what was not begun
            print(f"{time.monotonic() - began:6.0f} s {'+'.join(key[0])}: {error}", flush=True)
            return
        rows[key] = row
        if options.results:
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        print(line(row, began), flush=True)
        if options.names:
            print("    " + "\n    ".join(row["findings"]), flush=True)

    def play_all(keys: Iterable[Key]) -> None:
        new = [key for key in keys if key not in rows]
        with ThreadPoolExecutor(options.jobs) as pool:
            for _ in pool.map(play_and_keep, new):
                pass  # an error of ours ends the run

    if options.names:
        named = [tuple(name.split("+")) for name in options.names]
        asked = [(names, command) for names in named for command in commands(names)]
        rows.clear()
    else:
        asked = wanted(options)
        for size in (options.size, min(options.size, SMALLER)):
            play_all(together(unsettled(asked, rows.values()), size))
    play_all(unsettled(asked, rows.values()))
    rest = unsettled(asked, rows.values())
    bad = [key for key in rest if key in rows and _is_bad(rows[key])]
    late = [key for key in rest if key not in rows]
    print(
        f"{len(rows)} played, {len(bad)} of {len(asked)} with a hidden illness, {len(late)} too late"
    )
    return 1 if bad or late else 0


def unsettled(asked: Iterable[Key], rows: Iterable[Row]) -> list[Key]:
    """Return the companies that no row settles."""
    rows = list(rows)
    return [
        (names, command)
        for names, command in asked
        if not any(row["command"] == command and settles(row, names) for row in rows)
    ]


def _is_bad(row: Row) -> bool:
    return bool(row["gate"]) or any(fate[0] == HIDDEN for fate in row["fates"].values())


if __name__ == "__main__":
    sys.exit(main())
