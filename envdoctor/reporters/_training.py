"""A watched training: its processes and the instances in them, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.training import Instances, Process, Training
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number

MOST = 16  # rows

HEADINGS = ("pid", "made by", "environment", "made", "resets", "steps", "closed", "process")
RIGHT = frozenset({0, 3, 4, 5, 6})


def training(seen: Training | None) -> Iterator[Line | Grid]:
    """What was counted, by process."""
    if seen is None:
        return
    made = sum(one.made for one in seen.born)
    pids = {one.pid for one in seen.instances}
    processes = "1 process" if len(pids) == 1 else f"{len(pids)} processes"
    calls = f"{number(seen.total('reset'), 'reset')}, {number(seen.total('step'), 'step')}"
    yield line(
        f"  {number(made, 'instance')} made, in {processes}: {calls}.",
        f" {number(len(seen.processes), 'Python')} reported; {_ended(seen)}.",
        hang=4,
    )
    rows = [_row(seen, group) for group in _groups(seen)]
    if rows:
        yield Grid(HEADINGS, tuple(rows[:MOST]), RIGHT)
    if len(rows) > MOST:
        yield line(f"  and {len(rows) - MOST} more with --report json=FILE", hang=4)


def _ended(seen: Training) -> str:
    if seen.code < 0:
        return f"signal {-seen.code} ended it"
    return f"it ended with exit code {seen.code}"


def _groups(seen: Training) -> list[list[Instances]]:
    """Instances by process, class and vectorizer, without those that a fork took along and that
    were never called in the child.
    """
    found: dict[tuple[int, str, str], list[Instances]] = {}
    for one in seen.instances:
        found.setdefault((one.pid, one.type, one.by), []).append(one)
    return [group for group in found.values() if any(map(_was_used, group))]


def _was_used(one: Instances) -> bool:
    return bool(one.number or one.reset.began or one.step.began or one.close.began)


def _row(seen: Training, group: list[Instances]) -> tuple[tuple[str, str], ...]:
    first = group[0]
    cells = (
        str(first.pid),
        first.by or "the script",
        first.class_name or "?",
        *(
            f"{sum(numbers):,}"
            for numbers in (
                [one.made for one in group],
                [one.reset.ended for one in group],
                [one.step.ended for one in group],
                [one.closed for one in group],
            )
        ),
        _fate(seen, seen.process(first.pid)),
    )
    return tuple((cell, "") for cell in cells)


def _fate(seen: Training, process: Process | None) -> str:
    if process is None:
        return ""
    role = "trainer" if process.pid == seen.pid else process.started
    return f"{role} {process.code}" if process.code else role
