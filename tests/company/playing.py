"""Plays a company through the installed command, and judges what was told of each illness."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from tests.company.building import source
from tests.company.catalogue import ALONE, BY_NAME, ILLNESSES, WORKERS, Illness
from tests.support.zoo import COMMAND, PATIENCE, examine

Row = dict[str, Any]

#: Trying remedies takes as long as all the rest, and tests/remedies does it.
UNTRIED = "--no-try-remedies"

FILE, SPEC, BASELINE, RUN = "sick.py", "sick.py:Sick", "known.toml", "run.jsonl"
REPORTED, NOT_JUDGED, HIDDEN = "told", "not judged", "hidden"


def play(names: Sequence[str], command: str = "check", *words: str) -> Row:
    """One company under one command: what came of each illness, and how long it took. `check` saves
    its run, and that is judged with a baseline for each illness: what is open beside a known one must
    stay so.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="company-") as name:
        folder = Path(name)
        (folder / FILE).write_text(source(ordered(names)))
        options = (*arguments(names, command), UNTRIED, *words)
        if command == "check":
            options = (*options, "--save", RUN)
        _, document = examine(SPEC, *options, cwd=folder, command=command)
        together = command == "check" and len(names) > 1
        passed = [each for known in names if together for each in gate(names, known, folder)]
    return {
        "company": list(names),
        "command": command,
        "seconds": round(time.monotonic() - began, 1),
        "fates": {
            name: list(fate(BY_NAME[name], document))
            for name in names
            if is_judged(BY_NAME[name], command)
        },
        "gate": passed,
        "findings": [
            f"{one['code']} {one['severity']} {one['status']}: {one['message']}"
            for one in document["findings"]
        ],
    }


@cache
def baseline(name: str) -> str:
    """The baseline of one illness alone, as the installed command writes it; empty for a burden."""
    if BY_NAME[name].burden:
        return ""
    with tempfile.TemporaryDirectory(prefix="company-") as place:
        folder = Path(place)
        (folder / FILE).write_text(source((name,)))
        words = ("baseline", SPEC, *arguments((name,), "check"), "--output", BASELINE)
        done = subprocess.run(
            [str(COMMAND), *words],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return (folder / BASELINE).read_text()


def gate(names: Sequence[str], known: str, folder: Path) -> list[str]:
    """Return the findings that `gate` lets through of the saved run, where `known` has a baseline."""
    if not baseline(known):
        return []
    (folder / BASELINE).write_text(baseline(known))
    code, document = examine(RUN, "--baseline", BASELINE, cwd=folder, command="gate")
    return [f"{known}: {each}" for each in let_through(names, known, code, document)]


def let_through(
    names: Sequence[str], known: str, code: int, document: Mapping[str, Any]
) -> list[str]:
    """Return what passes behind the baseline of one illness: the names of others whose findings are
    all known, and "exit" where the exit code is not that of the open errors.
    """
    unseen = []
    for name in names:
        mine = [finding for finding in document["findings"] if BY_NAME[name].is_shown_by(finding)]
        if name != known and mine and all(finding["status"] != "open" for finding in mine):
            unseen.append(name)
    failing = any(
        finding["status"] == "open" and finding["severity"] == "error"
        for finding in document["findings"]
    )
    return [*unseen, "exit"] if failing != (code == 1) else unseen


def ordered(names: Sequence[str]) -> list[str]:
    """The bases of the class, outermost first."""
    return sorted(names, key=lambda name: not BY_NAME[name].outermost)


def is_judged(illness: Illness, command: str) -> bool:
    """Return whether a command looks for an illness."""
    return not illness.burden and (command == "check" or illness.grows)


def arguments(names: Sequence[str], command: str) -> tuple[str, ...]:
    """The options that these illnesses need."""
    together = [BY_NAME[name] for name in names]
    options = [word for illness in together for word in illness.options]
    if command == "leak":
        return (*ALONE, *options, "--time-budget", "120")
    return (
        *(WORKERS if any(illness.arguments == WORKERS for illness in together) else ALONE),
        *options,
    )


def fate(illness: Illness, document: Mapping[str, Any]) -> tuple[str, str]:
    """Told, not judged (and why), or hidden."""
    if any(illness.is_shown_by(finding) for finding in document["findings"]):
        return REPORTED, ""
    reasons = [entry["reason"] for entry in document["skipped"] if entry["code"] in illness.codes]
    passed = {entry["code"] for entry in document["passed"]} & set(illness.codes)
    if reasons and not passed:
        return NOT_JUDGED, reasons[0]
    return HIDDEN, f"{', '.join(sorted(passed))} passed" if passed else "silent"


def settles(row: Row, names: Sequence[str]) -> bool:
    """Return whether a run shows that not one of these illnesses hides another: each was reported,
    or not judged with a reason that names another one of them; and nothing of them passed a gate.
    """
    passed = [line for line in row["gate"] if line.partition(": ")[0] in names]
    return (
        set(names) <= set(row["company"])
        and not passed
        and all(_is_plain(row["fates"].get(name, (REPORTED, "")), name, names) for name in names)
    )


def _is_plain(fate: Sequence[str], name: str, names: Sequence[str]) -> bool:
    """Return whether one illness was reported, or another one was named as what keeps it from being
    judged.
    """
    reasons = [BY_NAME[other].blinds for other in names if other != name]
    named = any(reason and re.search(reason, fate[1]) for reason in reasons)
    return fate[0] == REPORTED or (fate[0] == NOT_JUDGED and named)


def clash(names: Sequence[str]) -> bool:
    """Return whether one of these illnesses makes another one untrue."""
    return any(
        second in BY_NAME[first].spoils or first in BY_NAME[second].spoils
        for first, second in combinations(names, 2)
    )


def groups(size: int) -> Iterator[tuple[str, ...]]:
    """All sensible companies of a size."""
    names = [illness.name for illness in ILLNESSES]
    for group in combinations(names, size):
        if not clash(group) and any(not BY_NAME[name].burden for name in group):
            yield group


def commands(names: Sequence[str]) -> tuple[str, ...]:
    """The commands that have to tell of one of these illnesses."""
    return ("check", "leak") if any(BY_NAME[name].grows for name in names) else ("check",)


def sample(size: int, number: int, seed: int) -> list[tuple[str, ...]]:
    """A seeded sample of companies; the same ones however many there are."""
    known = list(groups(size))
    return Random(seed).sample(known, min(number, len(known)))
