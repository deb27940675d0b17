"""The page that shows the matrix: rows in, Markdown out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.matrix.cell import WORKERS
from tests.matrix.faults import Fault

Row = Mapping[str, Any]

KINDS = {
    "raising": "It raises",
    "hanging": "It hangs",
    "dying": "It dies, or ends another process",
    "acquisition": "It takes all there is",
    "escaping": "It leaves processes behind",
    "meddling": "It changes what belongs to the whole process",
    "deceiving": "It is not what it seems",
}


def page(rows: Iterable[Row], faults: Sequence[Fault]) -> str:
    """Everything: what is promised, how many kept it, and a table a kind."""
    rows = list(rows)
    order = {fault.deed: number for number, fault in enumerate(faults)}
    rows = sorted(
        (row for row in rows if row["deed"] in order),
        key=lambda row: (order[row["deed"]], row["sb3"], row["where"], row["place"]),
    )
    parts = [summary(rows, faults)]
    parts += [
        f"## {title}\n\n{table([row for row in rows if row['deed'].startswith(kind)], faults)}"
        for kind, title in KINDS.items()
    ]
    return "\n\n".join(parts) + "\n"


def summary(rows: Sequence[Row], faults: Sequence[Fault]) -> str:
    """The head of the page."""
    broken = [row for row in rows if row["complaints"]]
    checked = [row for row in rows if "gymnasium" in row]
    cells = sum(len(row["played"]) for row in rows)
    lines = [
        "# The fault matrix",
        "",
        (
            "What envdoctor does when an environment does its worst. Written by `python -m"
            " tests.matrix --all --write docs/fault-matrix.md`;"
        ),
        (
            "one cell of it is part of every test run. Each fault is committed by"
            " `tests/matrix/envs/hostile.py`, which knows nothing of envdoctor."
        ),
        "",
        (
            "Promised in every row: the run goes on to its end and every manager that can be played"
            " is; the exit code is 0, 1 or 4 and fits what"
        ),
        (
            "is reported; no traceback of envdoctor; no process, temporary file, shared memory,"
            " descriptor or child is left; the terminal is as it was."
        ),
        "",
        (
            f"* {len({row['deed'] for row in rows})} faults, {len(rows)} runs, {cells} pairs of a"
            " fault and a manager with its start method."
        ),
        f"* {len(rows) - len(broken)} runs kept every promise, {len(broken)} did not.",
        (
            f"* The same {len(checked)} faults at their places under"
            f" `gymnasium.utils.env_checker.check_env`: {tally(checked, 'gymnasium')}."
        ),
        (
            "* Under `stable_baselines3.common.env_checker.check_env`:"
            f" {tally(checked, 'stable_baselines3')}."
        ),
        "",
        (
            '"in workers" means that only a manager\'s workers do it: what is reported of `direct`'
            " must then be nothing. Codes are those worse than a"
        ),
        (
            'note; fork, forkserver and spawn are written f, fs and s. "nothing": it was played,'
            " and there is nothing to tell."
        ),
    ]
    lines += [
        "",
        (
            "Not tried, because nothing could be done about it: an environment that signals"
            " envdoctor itself (it ends as if the user had asked"
        ),
        (
            "for it), that writes well-formed lines into its own journal, or that ends every"
            " process of its user."
        ),
    ]
    remarks = [f"* `{fault.deed}`: {fault.remark}" for fault in faults if fault.remark]
    return "\n".join([*lines, "", "Remarks:", "", *remarks] if remarks else lines)


def tally(rows: Sequence[Row], checker: str) -> str:
    """Return the number of rows that ended in each way."""
    texts = [row.get(checker, "") for row in rows]
    ways = {
        "pass": lambda text: text.startswith("passes"),
        "raise an error": lambda text: text.startswith("raises"),
        "end the process": lambda text: text.startswith(("dies", "ends")),
        "hang": lambda text: text.startswith("hangs"),
        "leave something behind": lambda text: "leaves" in text,
    }
    return ", ".join(f"{sum(map(is_so, texts))} {way}" for way, is_so in ways.items())


def table(rows: Sequence[Row], faults: Sequence[Fault]) -> str:
    """One row a run."""
    what = {fault.deed: fault.what for fault in faults}
    head = (
        "fault",
        "place",
        "what envdoctor tells, by manager",
        "exit",
        "s",
        "left or broken",
        "Gymnasium's check_env",
        "SB3's check_env",
    )
    body = [
        (
            what[row["deed"]],
            row["place"] + (", in workers" if row["where"] == WORKERS else ""),
            codes_by_place(row),
            str(row["exit_code"]),
            f"{row['seconds']:.0f}",
            "; ".join(row["complaints"]) or "nothing",
            row.get("gymnasium", ""),
            row.get("stable_baselines3", ""),
        )
        for row in rows
    ]
    return "\n".join(line(cells) for cells in (head, ("---",) * len(head), *body))


def codes_by_place(row: Row) -> str:
    """`direct PRC003; gymnasium-async (f, fs, s) VEC008`: places with the same codes in one."""
    groups: dict[tuple[str, str], list[str]] = {}
    for place in row["played"]:
        manager, _, method = place.partition(", ")
        codes = " ".join(row["codes"].get(place, ())) or "nothing"
        groups.setdefault((manager, codes), []).append(
            {"fork": "f", "forkserver": "fs", "spawn": "s"}.get(method, method)
        )
    return "; ".join(
        f"{manager}{in_brackets(methods)} {codes}" for (manager, codes), methods in groups.items()
    )


def in_brackets(methods: Sequence[str]) -> str:
    return f" ({', '.join(methods)})" if any(methods) else ""


def line(cells: Iterable[str]) -> str:
    return (
        "| "
        + " | ".join(
            cell.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ") for cell in cells
        )
        + " |"
    )
