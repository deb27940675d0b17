"""A watched training: its processes and the instances in them, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.shortages import Shortage, sentence
from envdoctor.analysis.training_growth import FLAT, MEMORY, growths, held
from envdoctor.model.training import Instances, Process, Training
from envdoctor.model.training_growth import METERS, Filling, Reading
from envdoctor.model.units import duration, size
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number
from envdoctor.rules.evidence.stacks import own_frame
from envdoctor.rules.evidence.training import not_made

MOST = 16  # rows
FOLDED = 5  # workers that are alike, in one row
Row = tuple[tuple[str, str], ...]

HEADINGS = ("pid", "made by", "environment", "made", "resets", "steps", "closed", "process")
RIGHT = frozenset({0, 3, 4, 5, 6})
WRAPS = frozenset({1, 2})  # what made them, and their class
OUTSIDE = ("pid", "RSS", "descriptors", "threads", "children", "process")
RIGHT_OUTSIDE = frozenset(range(5))
ALIVE = ("pid", "environment", "instances at first", "at last")
RIGHT_ALIVE = frozenset({0, 2, 3})


def training(seen: Training | None) -> Iterator[Line | Grid]:
    """What was counted, by process."""
    if seen is None:
        return
    if seen.attached:
        yield from _outside(seen)
        yield from _growth(seen)
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
    why = not_made(seen)
    if why:
        yield line(f"  {why[0].upper()}{why[1:]}.", hang=4)
    rows = list(_rows(seen))
    if rows:
        yield Grid(HEADINGS, tuple(rows[:MOST]), RIGHT, wraps=WRAPS)
    if len(rows) > MOST:
        yield line(f"  and {len(rows) - MOST} more with --report json=FILE", hang=4)
    yield from _growth(seen)


def _outside(seen: Training) -> Iterator[Line | Grid]:
    """What was seen of processes that were only looked at from outside."""
    unseen = "Calls" if seen.alive else "Calls, instances and who holds what grows"
    yield line(
        f"  {number(len(seen.processes), 'process', 'processes')} seen from outside. {unseen}"
        " cannot be seen from there: `envdoctor watch` counts them.",
        hang=4,
    )
    yield Grid(
        OUTSIDE, tuple(_row_outside(seen, one) for one in seen.processes[:MOST]), RIGHT_OUTSIDE
    )
    if seen.alive:
        rows = (
            (str(one.pid), one.class_name, f"{one.first:,}", f"{one.last:,}") for one in seen.alive
        )
        cells = (tuple((cell, "") for cell in row) for row in rows)
        yield Grid(ALIVE, tuple(cells)[:MOST], RIGHT_ALIVE)
    for one in seen.refused:
        yield line(f"  pid {one.pid} was asked for its instances: {one.reason}.", hang=4)


def _row_outside(seen: Training, process: Process) -> tuple[tuple[str, str], ...]:
    last = next((one.readings[-1] for one in seen.series if one.pid == process.pid), Reading(0.0))
    still = next((one for one in seen.still if one.pid == process.pid), None)
    held = (last.descriptors, last.threads, last.children)
    counts = ("" if count is None else str(count) for count in held)
    fate = f"still for {duration(still.seconds)}" if still else ""
    place = own_frame(still.stacks, "") if still else None
    fate += f", in {place.function}()" if place else ""
    fate = "ended" if process.ended is not None else fate
    role = "trainer" if process.pid == seen.pid else "child"
    name = f"{role}: {fate}" if fate else role
    return tuple((cell, "") for cell in (str(process.pid), size(last.rss), *counts, name))


def _growth(seen: Training) -> Iterator[Line]:
    """What was followed in each process, and what is not known. What grows is a finding."""
    still: dict[int, list[str]] = {}
    unknown: dict[str, dict[int, Shortage]] = {}
    for one in seen.series:
        for found in growths(one.readings, seen.attached):
            if found.meter in MEMORY and held(one, seen.attached):
                continue
            if found.verdict == FLAT:
                still.setdefault(one.pid, []).append(found.meter)
            elif found.shortage is not None:
                lacking = unknown.setdefault(found.shortage.unit, {})
                before = lacking.get(one.pid, found.shortage)
                lacking[one.pid] = min(before, found.shortage, key=lambda each: each.share)
        if one.filling is not None:
            yield line(f"  {_filling(seen, one.pid, one.filling)}", hang=4)
        if one.looks:
            text = f"  pid {one.pid} stood still for {one.paused:.1f} s to see who holds what grows"
            yield line(text, hang=4)
    counts = {meter: sum(meter in each for each in still.values()) for meter in METERS}
    told = (
        f"{', '.join(meter for meter in METERS if counts[meter] == count)} in {_processes(count)}"
        for count in sorted(set(counts.values()) - {0}, reverse=True)
    )
    if still:
        yield line(f"  No growth: {'; '.join(told)}.", hang=4)
    for lacking in unknown.values():
        why = sentence(list(lacking.values()))
        yield line(f"  Growth in {_processes(len(lacking))} is not known: {why}.", hang=4)


def _processes(count: int) -> str:
    return number(count, "process", "processes")


def _filling(seen: Training, pid: int, found: Filling) -> str:
    role = "the trainer's process" if pid == seen.pid else f"pid {pid}"
    full = f"full in {found.seconds:.0f} s at this rate"
    return f"A buffer of {role} fills: {size(found.touched)} of {size(found.size)}, {full}."


def _ended(seen: Training) -> str:
    if not seen.over:
        trainer = seen.process(seen.pid)
        is_gone = trainer is not None and trainer.ended is not None and not seen.attached
        return "it has ended; how is not known" if is_gone else "it was still running"
    if seen.code < 0:
        return f"signal {-seen.code} ended it"
    return f"it ended with exit code {seen.code}"


def _groups(seen: Training) -> list[list[Instances]]:
    """Instances by process, class and vectorizer, the trainer's first, without those that a fork
    took along and that were never called in the child.
    """
    found: dict[tuple[int, str, str], list[Instances]] = {}
    for one in sorted(seen.instances, key=lambda one: (one.pid != seen.pid, one.pid)):
        found.setdefault((one.pid, one.type, one.by), []).append(one)
    return [group for group in found.values() if any(one.is_used for one in group)]


def _rows(seen: Training) -> Iterator[Row]:
    """A row for each process and class; one for all workers that differ in nothing but their number
    of calls.
    """
    alike: dict[tuple[str, ...], list[list[Instances]]] = {}
    for group in _groups(seen):
        by, name, made, _, _, closed, fate = _cells(seen, [group])
        own = str(group[0].pid) if group[0].pid == seen.pid else ""
        alike.setdefault((own, by, name, made, closed, fate), []).append(group)
    for groups in alike.values():
        if len(groups) < FOLDED:
            for group in groups:
                yield _row(str(group[0].pid), _cells(seen, [group]))
        else:
            yield _row(f"{len(groups):,} workers", _cells(seen, groups))


def _row(name: str, cells: tuple[str, ...]) -> Row:
    return tuple((cell, "") for cell in (name, *cells))


def _cells(seen: Training, groups: list[list[Instances]]) -> tuple[str, ...]:
    """Return the cells of a row, of one process, or of several together."""
    first = groups[0][0]
    counts = (
        lambda one: one.made,
        lambda one: one.reset.ended,
        lambda one: one.step.ended,
        lambda one: one.closed,
    )
    every = [one for group in groups for one in group]
    numbers = (f"{sum(map(count, every)):,}" for count in counts)
    fate = _fate(seen, seen.process(first.pid))
    return (first.by or "the script", first.class_name or "?", *numbers, fate)


def _fate(seen: Training, process: Process | None) -> str:
    if process is None:
        return ""
    role = "trainer" if process.pid == seen.pid else process.started
    return f"{role} {process.code}" if process.code else role
