"""Launches growing numbers of workers of one environment, and measures each launch."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator

from envdoctor.analysis.worker_scaling import Measured, measured
from envdoctor.errors import NothingToCheck
from envdoctor.model.facts import Described, Survey
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Skipped
from envdoctor.model.scenario import Scenario
from envdoctor.plan import scenarios as planning
from envdoctor.plan import worker_numbers
from envdoctor.request.request import Request
from envdoctor.run.play import Play
from envdoctor.run.supervise.head_start import HeadStart
from envdoctor.run.supervise.interruption import stopping
from envdoctor.run.supervise.limits import Limits
from envdoctor.run.supervise.session import Session


@dataclass(frozen=True)
class WorkerTrials:
    """The measured rows; those left out, with reasons; `cores` are those that may be used, `memory`
    the bytes. `interrupted`: it was ended before all was tried. `busy` is how many threads other
    programs had running or waiting for a processor before (the load average of a minute), on all
    `processors` of the machine.
    """

    rows: tuple[Measured, ...]
    skipped: tuple[Skipped, ...]
    cores: int
    memory: int
    interrupted: bool = False
    busy: float = 0.0
    processors: int = 1


def try_workers(
    request: Request,
    steps: int,
    most: int,
    progress: Callable[[str], None],
    ahead: HeadStart | None = None,
) -> WorkerTrials:
    """Measure one instance alone, then each manager with 1, 2, 4... workers up to `most`, or the
    cores if that is 0. Raises NothingToCheck for an environment that cannot be built.
    """
    subject, python = request.subjects[0], request.python or sys.executable
    limits = Limits(timeout=request.timeout)
    begun, busy = ahead or HeadStart(), os.getloadavg()[0]
    try:
        with Session(
            python, limits, begun.bundle, begun.directory, begun.directory, begun.take(python)
        ) as session:
            spaces = session.directory / "spaces.pkl"
            play = Play(session, subject, request.seed, spaces, progress)
            with stopping(session.request_stop):
                rows, skipped = _try_all(play, request, steps, most or limits.cores)
            processors = os.cpu_count() or limits.cores
            return WorkerTrials(
                rows, skipped, limits.cores, limits.room, play.interrupted, busy, processors
            )
    finally:
        if ahead is None:
            begun.close()


def _try_all(
    play: Play, request: Request, steps: int, most: int
) -> tuple[tuple[Measured, ...], tuple[Skipped, ...]]:
    surveyed = play(planning.SURVEY)
    survey = surveyed.fact(Survey) if surveyed else None
    life = play(planning.PLAIN) if survey and survey.is_found else None
    described = life.fact(Described) if life else None
    if play.interrupted:
        return (), ()
    if survey is None or described is None:
        text = play.subject.text
        raise NothingToCheck(f"{text} cannot be built: `envdoctor check {text}` says why")
    scenarios, skipped = planning.managed(
        play.subject.text,
        survey,
        described,
        request.managers,
        request.start_methods,
        bool(request.start_methods),
    )
    rows = [row for row in [_tried(play, worker_numbers.alone(steps))] if row]
    numbers = worker_numbers.numbers(most)
    for place in worker_numbers.places(scenarios):
        rows += _try_place(play, place, numbers, steps)
    return tuple(rows), skipped


def _try_place(
    play: Play, place: tuple[str, str | None], numbers: tuple[int, ...], steps: int
) -> Iterator[Measured]:
    """Up to the number that fails, or would not fit into the memory."""
    for number in numbers:
        result = _tried(play, worker_numbers.launched(place, number, steps))
        if result is None:
            return
        yield result
        if result.failed or (result.private or 0) * 2 > play.memory:
            return


def _tried(play: Play, scenario: Scenario) -> Measured | None:
    trace = play(scenario)
    return None if trace is None or play.interrupted else measured(trace)
