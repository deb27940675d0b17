"""A watched training: its processes and the instances in them, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.shortages import Shortage, sentence
from envdoctor.analysis.training_growth import FLAT, MEMORY, growths, held
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_growth import METERS, Filling, Reading
from envdoctor.model.training_instances import Instances
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


def training(training: Training | None) -> Iterator[Line | Grid]:
    """Yield the counts, by process."""
    if training is None:
        return
    if training.attached:
        yield from _outside(training)
        yield from _growth(training)
        return
    made = sum(instances.made for instances in training.created_here)
    pids = {instance.pid for instance in training.instances}
    processes = "1 process" if len(pids) == 1 else f"{len(pids)} processes"
    calls = f"{number(training.total('reset'), 'reset')}, {number(training.total('step'), 'step')}"
    yield line(
        f"  {number(made, 'instance')} made, in {processes}: {calls}.",
        f" {number(len(training.processes), 'Python')} reported; {_ended(training)}.",
        hang=4,
    )
    why = not_made(training)
    if why:
        yield line(f"  {why[0].upper()}{why[1:]}.", hang=4)
    rows = list(_rows(training))
    if rows:
        yield Grid(HEADINGS, tuple(rows[:MOST]), RIGHT, wraps=WRAPS)
    if len(rows) > MOST:
        yield line(f"  and {len(rows) - MOST} more with --report json=FILE", hang=4)
    yield from _growth(training)


def _outside(training: Training) -> Iterator[Line | Grid]:
    """Yield the processes that were only seen from outside."""
    unseen = "Calls" if training.alive else "Calls, instances and who holds what grows"
    yield line(
        f"  {number(len(training.processes), 'process', 'processes')} seen from outside. {unseen}"
        " cannot be seen from there: `envdoctor watch` counts them.",
        hang=4,
    )
    yield Grid(
        OUTSIDE,
        tuple(_row_outside(training, process) for process in training.processes[:MOST]),
        RIGHT_OUTSIDE,
    )
    if training.alive:
        rows = (
            (str(alive.pid), alive.class_name, f"{alive.first:,}", f"{alive.last:,}")
            for alive in training.alive
        )
        cells = (tuple((cell, "") for cell in row) for row in rows)
        yield Grid(ALIVE, tuple(cells)[:MOST], RIGHT_ALIVE)
    for silent in training.refused:
        yield line(f"  pid {silent.pid} was asked for its instances: {silent.reason}.", hang=4)


def _row_outside(training: Training, process: TrainingProcess) -> tuple[tuple[str, str], ...]:
    last = next(
        (series.readings[-1] for series in training.series if series.pid == process.pid),
        Reading(0.0),
    )
    still = next((still for still in training.still if still.pid == process.pid), None)
    held = (last.descriptors, last.threads, last.children)
    counts = ("" if count is None else str(count) for count in held)
    fate = f"still for {duration(still.seconds)}" if still else ""
    place = own_frame(still.stacks, "") if still else None
    fate += f", in {place.function}()" if place else ""
    fate = "ended" if process.ended is not None else fate
    role = "trainer" if process.pid == training.pid else "child"
    name = f"{role}: {fate}" if fate else role
    return tuple((cell, "") for cell in (str(process.pid), size(last.rss), *counts, name))


def _growth(training: Training) -> Iterator[Line]:
    """Yield the growth of each process, and what is unknown. Growth itself is a finding."""
    still: dict[int, list[str]] = {}
    unknown: dict[str, dict[int, Shortage]] = {}
    for series in training.series:
        for growth in growths(series.readings, training.attached):
            if growth.meter in MEMORY and held(series, training.attached):
                continue
            if growth.verdict == FLAT:
                still.setdefault(series.pid, []).append(growth.meter)
            elif growth.shortage is not None:
                lacking = unknown.setdefault(growth.shortage.unit, {})
                before = lacking.get(series.pid, growth.shortage)
                lacking[series.pid] = min(before, growth.shortage, key=lambda each: each.share)
        if series.filling is not None:
            yield line(f"  {_filling(training, series.pid, series.filling)}", hang=4)
        if series.looks:
            pause = f"stood still for {series.paused:.1f} s to see who holds what grows"
            yield line(f"  pid {series.pid} {pause}", hang=4)
    counts = {meter: sum(meter in each for each in still.values()) for meter in METERS}
    texts = (
        f"{', '.join(meter for meter in METERS if counts[meter] == count)} in {_processes(count)}"
        for count in sorted(set(counts.values()) - {0}, reverse=True)
    )
    if still:
        yield line(f"  No growth: {'; '.join(texts)}.", hang=4)
    for lacking in unknown.values():
        why = sentence(list(lacking.values()))
        yield line(f"  Growth in {_processes(len(lacking))} is not known: {why}.", hang=4)


def _processes(count: int) -> str:
    return number(count, "process", "processes")


def _filling(training: Training, pid: int, filling: Filling) -> str:
    role = "the trainer's process" if pid == training.pid else f"pid {pid}"
    full = f"full in {filling.seconds:.0f} s at this rate"
    return f"A buffer of {role} fills: {size(filling.touched)} of {size(filling.size)}, {full}."


def _ended(training: Training) -> str:
    if not training.over:
        trainer = training.process(training.pid)
        is_gone = trainer is not None and trainer.ended is not None and not training.attached
        return "it has ended; how is not known" if is_gone else "it was still running"
    if training.code < 0:
        return f"signal {-training.code} ended it"
    return f"it ended with exit code {training.code}"


def _groups(training: Training) -> list[list[Instances]]:
    """Instances by process, class and vectorizer, the trainer's first, without those that a fork
    took along and that were never called in the child.
    """
    result: dict[tuple[int, str, str], list[Instances]] = {}
    for instance in sorted(
        training.instances, key=lambda instances: (instances.pid != training.pid, instances.pid)
    ):
        result.setdefault((instance.pid, instance.type, instance.by), []).append(instance)
    return [group for group in result.values() if any(instances.is_used for instances in group)]


def _rows(training: Training) -> Iterator[Row]:
    """A row for each process and class; one for all workers that differ in nothing but their number
    of calls.
    """
    alike: dict[tuple[str, ...], list[list[Instances]]] = {}
    for group in _groups(training):
        by, name, made, _, _, closed, fate = _cells(training, [group])
        own = str(group[0].pid) if group[0].pid == training.pid else ""
        alike.setdefault((own, by, name, made, closed, fate), []).append(group)
    for groups in alike.values():
        if len(groups) < FOLDED:
            for group in groups:
                yield _row(str(group[0].pid), _cells(training, [group]))
        else:
            yield _row(f"{len(groups):,} workers", _cells(training, groups))


def _row(name: str, cells: tuple[str, ...]) -> Row:
    return tuple((cell, "") for cell in (name, *cells))


def _cells(training: Training, groups: list[list[Instances]]) -> tuple[str, ...]:
    """Return the cells of a row, of one process, or of several together."""
    first = groups[0][0]
    counts = (
        lambda item: item.made,
        lambda item: item.reset.ended,
        lambda item: item.step.ended,
        lambda item: item.closed,
    )
    every = [instances for group in groups for instances in group]
    numbers = (f"{sum(map(count, every)):,}" for count in counts)
    fate = _fate(training, training.process(first.pid))
    return (first.by or "the script", first.class_name or "?", *numbers, fate)


def _fate(training: Training, process: TrainingProcess | None) -> str:
    if process is None:
        return ""
    role = "trainer" if process.pid == training.pid else process.started
    return f"{role} {process.code}" if process.code else role
