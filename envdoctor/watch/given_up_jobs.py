"""Workers of pools that compute what nothing waits for: where they are, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envdoctor.model.training_calls import GivenUpJob
from envdoctor.model.training_events import Announced
from envdoctor.rules.evidence.stacks import innermost_own, parse_stacks
from envdoctor.watch import outside
from envdoctor.watch.stacks import stacks


class WatchedJobs:
    """Those of a training that were seen, by process and number."""

    def __init__(self) -> None:
        self._jobs: dict[tuple[int, int], GivenUpJob] = {}

    def look(self, events: Iterable[Announced]) -> None:
        """Look at the workers of jobs that were given up, the first time and again."""
        for event in events:
            key = (event.pid, event.number)
            if event.location is not None and key not in self._jobs:
                job = GivenUpJob(*key, event.location)
                self._jobs[key] = _with_worker(job, self._free(event.workers))
        for key, job in self._jobs.items():
            size = outside.written(job.worker) if job.worker else -1
            if size >= 0:
                least = job.least or size
                self._jobs[key] = replace(job, least=least, most=max(job.most, size))

    def _free(self, workers: Iterable[int]) -> list[int]:
        """Those of these workers that compute nothing else."""
        busy = {job.worker for job in self._jobs.values()}
        return [pid for pid in workers if pid not in busy]

    def never_ended(self, events: Iterable[Announced]) -> tuple[GivenUpJob, ...]:
        """Return those of which no result came, by the events that are left of them. The last may
        have come after the last look.
        """
        return tuple(
            self._jobs.get((event.pid, event.number))
            or GivenUpJob(event.pid, event.number, event.location)
            for event in events
            if event.location is not None
        )


def _with_worker(job: GivenUpJob, workers: Iterable[int]) -> GivenUpJob:
    """A job with the first of these workers that runs code which is not a library's."""
    for pid in workers:
        main = next(iter(parse_stacks(stacks(pid))), ())
        frame = innermost_own(main)
        if frame is not None:
            return replace(job, worker=pid, computed=frame)
    return job
