"""Lines of a training that make vectorizers or start threads, over all of its processes."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.training import OWN_VECTORIZER, VECTORIZER, Site, Training, TrainingProcess
from envdoctor.rules.evidence.training_deaths import CONNECTION, GONE

PILE = 3  # vectorizers that are kept unclosed beside one that is stepped
TERM = 15


@dataclass(frozen=True)
class SiteLine:
    """The sites of one line: in each process that ran it there is one."""

    sites: tuple[Site, ...]

    @property
    def type(self) -> str:
        """The class."""
        return self.sites[0].type

    @property
    def class_name(self) -> str:
        """The class as a person would write it."""
        return self.sites[0].class_name

    @property
    def location(self) -> Location | None:
        """The line."""
        return self.sites[0].location

    @property
    def name(self) -> str:
        """`AsyncVectorEnv made at train.py:15 in collect()`."""
        place = self.sites[0].place
        return f"{self.class_name} made at {place}" if place else f"{self.class_name} of a library"

    @property
    def made(self) -> int:
        """The number that it made or started."""
        return sum(site.made for site in self.sites)

    @property
    def alive(self) -> int:
        """The number that was there at the last reading."""
        return sum(site.alive for site in self.sites)

    @property
    def unclosed(self) -> int:
        """Vectorizers on which close() was never called."""
        return sum(site.made - site.closed for site in self.sites)

    @property
    def idle(self) -> int:
        """Vectorizers that were kept unclosed beside one that was stepped, at most."""
        return max(site.idle for site in self.sites)

    @property
    def pids(self) -> set[int]:
        """The processes that vectorizers of the script's own started."""
        return {pid for site in self.sites for pid in site.pids}

    @property
    def workers(self) -> int:
        """Processes that its vectorizers started."""
        return sum(site.workers for site in self.sites)

    @property
    def running(self) -> int:
        """Closed vectorizers whose workers all run, where none of those of any closed one ended."""
        return min(each.running for each in self.sites)

    @property
    def ends_none(self) -> bool:
        """True if several were closed, and close() ended no worker of any of them."""
        return self.running >= PILE

    @property
    def piles_up(self) -> bool:
        """True if several are kept unclosed in one process, and none of them is used again."""
        return any(site.idle >= PILE and not site.reused for site in self.sites)


def lines_of(training: Training, kind: str, pid: int | None = None) -> Iterator[SiteLine]:
    """The lines of a kind, in all processes or in one."""
    groups: dict[tuple[str, str, str], list[Site]] = {}
    for site in training.sites:
        if site.kind == kind and pid in (None, site.pid):
            groups.setdefault((site.type, site.function, site.place), []).append(site)
    yield from (SiteLine(tuple(group)) for group in groups.values())


def unclosed_vectorizers(training: Training, pid: int) -> list[SiteLine]:
    """The lines of a process whose vectorizers have workers, and on one of which close() was not
    called.
    """
    lines = (*lines_of(training, VECTORIZER, pid), *lines_of(training, OWN_VECTORIZER, pid))
    return [line for line in lines if line.workers and line.unclosed]


def cut_off(training: Training, line: SiteLine) -> list[TrainingProcess]:
    """The workers of the script's own vectorizers that were not closed, if all of these ended by a
    broken pipe, or by the SIGTERM that multiprocessing sends at the exit of the script; none where
    others ended in another way: a method of another name may have asked them.
    """
    ends = [
        process
        for process in training.processes
        if process.pid in line.pids and (_lost_its_pipe(process) or _ended_late(training, process))
    ]
    return ends if line.unclosed and len(ends) * line.made >= line.workers * line.unclosed else []


def _lost_its_pipe(process: TrainingProcess) -> bool:
    error = process.raised
    is_lost = error is not None and error.type in GONE and error.within == CONNECTION
    return is_lost and process.code != 0


def _ended_late(training: Training, process: TrainingProcess) -> bool:
    """Return whether multiprocessing ended a process when the code of its parent had ended."""
    parent = training.process(process.parent)
    if parent is None or parent.exits is None or process.ended is None:
        return False
    is_asked = process.code == -TERM and process.asked is None
    return is_asked and process.ended >= parent.exits
