"""The gain of workers, as a table and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from envdoctor.analysis.worker_scaling import Measured, best, enough
from envdoctor.frameworks import launch_id_lines, launch_lines
from envdoctor.frameworks.profile import Launch
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import ID, Subject
from envdoctor.model.units import duration, size
from envdoctor.request.argument_sets import spec_of
from envdoctor.rules.evidence.training import of
from envdoctor.run.worker_trials import WorkerTrials

BUSY = 0.5  # threads of other programs for each processor, from which on they take part of it
HEADS = ("manager", "start method", "workers", "start", "steps/s", "private", "shared")


def as_json(trials: WorkerTrials, subject: Subject) -> str:
    """For programs."""
    chosen = best(trials.rows)
    document = {
        "version": 1,
        "spec": subject.text,
        "cores": trials.cores,
        "memory": trials.memory,
        "busy": trials.busy,
        "launches": [asdict(row) for row in trials.rows],
        "skipped": [{"manager": each.manager, "reason": each.reason} for each in trials.skipped],
        "best": None if chosen is None else asdict(chosen),
        "paste": list(lines_to_paste(chosen, subject)) if chosen else [],
    }
    return json.dumps(document, indent=2) + "\n"


def as_text(trials: WorkerTrials, subject: Subject) -> str:
    """The table, where it stops paying, and the lines to paste."""
    cells = [HEADS, *map(_cells, trials.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADS))]
    lines = [
        "  ".join(
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    lines += ["", *_where_it_stops(trials), *_advice(trials, subject), *_caveat(trials)]
    lines += [f"not tried: {each.manager}: {each.reason}" for each in trials.skipped]
    return "\n".join(lines).rstrip() + "\n"


def _cells(row: Measured) -> tuple[str, ...]:
    head = (row.manager, row.start_method or "-", str(row.workers))
    if row.failed:
        return (*head, "-", row.failed, "-", "-")
    memory = ("-" if number is None else size(number) for number in (row.private, row.shared))
    return (*head, duration(row.seconds), f"{row.rate:,.0f}", *memory)


def _where_it_stops(trials: WorkerTrials) -> Iterator[str]:
    """A line for each place of which several numbers were tried."""
    places: dict[tuple[str, str | None], list[Measured]] = {}
    for row in trials.rows:
        if row.manager != DIRECT:
            places.setdefault(row.place, []).append(row)
    for place, rows in places.items():
        fewest = enough(rows)
        if fewest is not None and fewest.workers < max(row.workers for row in rows):
            name = ", ".join(filter(None, place))
            yield f"{name}: not faster with more than {_many(fewest)}"


def _advice(trials: WorkerTrials, subject: Subject) -> Iterator[str]:
    chosen = best(trials.rows)
    if chosen is None:
        return
    rate = f"{chosen.rate:,.0f} steps per second"
    if chosen.manager == DIRECT:
        yield f"One instance in your own process is as fast as any number of workers: {rate}."
        return
    where = ", ".join(filter(None, chosen.place))
    yield f"Begin with {_many(chosen)} ({where}): {rate} with {trials.cores} cores."
    lines = lines_to_paste(chosen, subject)
    if lines:
        yield from ("", *(f"    {line}" for line in lines), "")


def _many(row: Measured) -> str:
    noun = "instance" if row.start_method is None else "worker"
    return f"{row.workers} {noun}{'' if row.workers == 1 else 's'}"


def _caveat(trials: WorkerTrials) -> Iterator[str]:
    """Yield a caveat if other programs disturbed the figures."""
    if trials.busy >= trials.processors * BUSY:
        yield (
            f"This machine was busy before (load {trials.busy:.1f} on"
            f" {of(trials.processors, 'processor')}): workers may pay on an idle one. Measure again"
            " there."
        )


def lines_to_paste(chosen: Measured, subject: Subject) -> tuple[str, ...]:
    """The lines that launch it."""
    wanted = Launch("make_env", chosen.start_method, chosen.workers)
    if subject.form == ID and not subject.kwargs:
        return launch_id_lines(chosen.manager, spec_of(subject), wanted)
    return launch_lines(chosen.manager, wanted)
