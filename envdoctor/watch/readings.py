"""Readings of the processes of a training: the doctor asks through their pages, and they answer in
the next call of an environment. Where the doctor is gone, nothing is asked.

The pace follows the time since the first call: a short training has as many readings as a verdict
needs, and a long one a few hundred.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from envdoctor.analysis.training_growth import ENOUGH, WINDOWS, growths
from envdoctor.model import page
from envdoctor.model.training_growth import LOOKS, Filling, Reading, Series
from envdoctor.watch.outside import Outside, Touched, outside, touched
from envdoctor.watch.pages import NUMBER, Counts, PageReport

FIRST, LAST, SHARE = 0.025, 10.0, 0.01  # seconds between readings; of the time since the first call
CROWD = 12  # processes that are read at this pace; twice as many half as often
JUDGED = 8  # of the readings so far, one share more before growth is judged again
KEPT = 4 * ENOUGH  # readings of a process
COST = 20  # times what a reading took in its process, before the next one
EARLY, SPENT = 5, 0.5  # so many times, until the readings of a process took so many seconds in all
PAUSE = 0.001  # seconds, at least, between two times that it is asked what is due
PATIENCE, PART = 1.0, 0.02  # seconds for a reset() to come, before any call will do; of that time
BETWEEN = 0.25  # of all calls, which come between two looks at the containers
EPISODES = 32  # resets that come between them, until calls are LATE: 16 elements, or more
LATE = 2  # times as many calls as at the first of the two
AGAIN = 16  # times the calls of the last look, before they are looked at again, twice
ROSE = 16 << 20  # bytes of RSS, before the mappings are looked at
OUTSIDE = ""  # in the place of the name of a page
#: The head of the page of a process that has none.
UNREAD = tuple(-1 if at in (page.BLOCKS, page.MALLOC) else 0 for at in range(page.WIDTH))
RUNS = 5.0  # seconds between two looks at the mappings


def spacing(since: float, took: float = 0.0, spent: float = SPENT) -> float:
    """Seconds between two readings, `since` so many after the first call; the last one took some of
    the process, and all of them `spent` so many.
    """
    return min(LAST, max(FIRST, since * SHARE, took * (EARLY if spent < SPENT else COST)))


def patience(since: float) -> float:
    """Seconds for a reset() to come: where episodes are long, few would."""
    return min(PATIENCE, max(FIRST, since * PART))


@dataclass
class _Asked:
    """One process, and what it answered."""

    name: str
    pid: int
    readings: list[Reading] = field(default_factory=list)
    last: Reading | None = None  # kept once another answer came: not what followed the last call
    answers: int = 0
    spent: float = 0.0  # seconds that its readings took
    judged: int = ENOUGH  # answers, at which growth is judged next
    asked: float | None = None
    look_at: int = 0  # calls, at which the next look may be due
    look_resets: int = 0  # and resets, until there are more calls
    look_late: int = 0
    looks: int = 0
    outside: Outside | None = None
    touched: Touched | None = None
    filling: Filling | None = None
    rose: int = 0


class TrainingReadings:
    """Readings of all processes of a training, so far. One that does not ask takes what another
    asked for.
    """

    def __init__(self, folder: Path, look: bool = True, asks: bool = True) -> None:
        self.folder, self._look, self._asks = folder, look, asks
        self._processes: dict[str, _Asked] = {}
        self._next = 0.0
        self._first: float | None = None  # when the first call of an environment was seen

    def pause(self, now: float) -> float:
        """Seconds until the next reading."""
        return max(PAUSE, self._next - now)

    def due(self, now: float) -> bool:
        """Return whether the next reading is due, `now` seconds after the training began."""
        return now >= self._next

    def take(self, pages: Iterable[Counts], alive: set[int], now: float, trainer: int = 0) -> None:
        """Take the answers that came, and ask again. A `trainer` that calls no environment is
        looked at from outside.
        """
        pages = [counts for counts in pages if counts.head]
        there = [counts for counts in pages if counts.pid in alive and counts.answers]
        if self._first is None and any(counts.head[page.READ] for counts in there):
            self._first = now
        since = 0.0 if self._first is None else now - self._first
        took = max((counts.head[page.TOOK] for counts in there), default=0) / 1e9
        for counts in there:
            asked = self._processes.setdefault(counts.name, _Asked(counts.name, counts.pid))
            answered = counts.head[page.READ] > asked.answers
            if answered:
                asked.answers, asked.asked = counts.head[page.READ], None
                asked.spent += counts.head[page.TOOK] / 1e9
                asked.outside = outside(asked.pid, asked.outside)
                if asked.last is not None:
                    self._keep(asked, asked.last)
                asked.last = _answer(counts, asked.outside, now, pages)
            if asked.asked is None:
                self._ask(asked, self._wanted(asked, counts), now)
            elif now - asked.asked > patience(since) and counts.head[page.DUE] == page.AT_RESET:
                self._write(asked, page.AT_ANY_CALL)
        spent = max((self._processes[counts.name].spent for counts in there), default=0.0)
        self._next = now + spacing(since, took, spent) * max(1.0, len(there) / CROWD)
        inside = [each for each in pages if each.pid == trainer and each.answers]
        if inside and not any(each.takes_messages for each in inside):
            self._processes.pop(OUTSIDE, None)
        elif trainer in alive and self._first is not None:
            self._look_from_outside(trainer, now, pages)

    def _look_from_outside(self, pid: int, now: float, pages: Iterable[Counts]) -> None:
        asked = self._processes.setdefault(OUTSIDE, _Asked(OUTSIDE, pid))
        asked.outside = outside(pid, asked.outside)
        held = _without_segments(asked.outside)
        reading, last = _reading(UNREAD, held, now, _calls_of_all(pages)), asked.last
        if last is None or (reading.resets, reading.steps) != (last.resets, last.steps):
            if last is not None:
                self._keep(asked, last)
            asked.last = reading

    def _keep(self, asked: _Asked, reading: Reading) -> None:
        asked.readings.append(reading)
        if len(asked.readings) > KEPT:
            del asked.readings[1::2]
        self._look_at_mappings(asked, reading)

    def _look_at_mappings(self, asked: _Asked, reading: Reading) -> None:
        """Look for a buffer that may be filling, where uncounted memory of the process rises."""
        before = asked.touched
        if before is not None and reading.t - before.t < RUNS:
            return
        if before is not None and reading.rss - asked.rose < ROSE:
            asked.filling = None
            return
        asked.rose, asked.touched = reading.rss, touched(asked.pid, reading.t)
        asked.filling = asked.touched.filling_since(before) if before is not None else None

    def _wanted(self, asked: _Asked, counts: Counts) -> int:
        """The reading to ask for. Containers are looked at where memory grows, or descriptors,
        threads or the like, and never otherwise: the process stands still for that. What got longer
        early may be full later: where something still grows, they are looked at again.
        """
        resets, steps = counts.head[page.AT_RESETS], counts.head[page.AT_STEPS]
        if counts.takes_messages and asked.last is not None:  # it calls none itself
            resets, steps = asked.last.resets, asked.last.steps
        calls = steps + resets
        own = page.AT_RESET if counts.head[page.USED] else page.AT_ANY_CALL
        if not self._look or calls < asked.look_at or len(asked.readings) < ENOUGH:
            return own
        if resets < asked.look_resets and calls < asked.look_late:
            return own
        is_first = asked.looks % LOOKS == 0
        if is_first and not _seems_to_grow(asked):
            return own
        asked.looks += 1
        asked.look_at = int(calls * (1 + BETWEEN) if is_first else calls * AGAIN)
        asked.look_resets, asked.look_late = resets + EPISODES, LATE * calls
        return page.LOOK

    def _ask(self, asked: _Asked, what: int, now: float) -> None:
        asked.asked = now
        self._write(asked, what)

    def _write(self, asked: _Asked, what: int) -> None:
        if not self._asks:
            return
        try:
            descriptor = os.open(self.folder / asked.name, os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            return
        try:
            os.pwrite(descriptor, what.to_bytes(NUMBER, "little"), page.DUE * NUMBER)
        finally:
            os.close(descriptor)

    def series(self, page_report: PageReport) -> tuple[Series, ...]:
        """The readings of each process that answered."""
        return tuple(
            Series(
                process.pid,
                tuple(
                    _without_exit(process.readings) if process.name == OUTSIDE else process.readings
                ),
                tuple(page_report.holders.get(process.pid, ())),
                process.filling,
                len(page_report.looks.get(process.pid, ())),
                sum(page_report.looks.get(process.pid, ())),
                page_report.unfound.get(process.pid, 0),
            )
            for process in self._processes.values()
            if process.readings and not self._is_known_better(process)
        )

    def _is_known_better(self, asked: _Asked) -> bool:
        """Return whether a trainer that takes messages was read both from inside and outside, and
        more often in the other way.
        """
        others = (each for each in self._processes.values() if each.pid == asked.pid)
        most = max(others, key=lambda each: (len(each.readings), each.name))
        outside = self._processes.get(OUTSIDE)
        return outside is not None and outside.pid == asked.pid and most is not asked


def _without_segments(outside: Outside) -> Outside:
    """Leave segments out: a buffer of the trainer's keeps those that workers sent."""
    return replace(outside, segments=None)


def _without_exit(readings: list[Reading]) -> list[Reading]:
    """Those before a process gave back most of what it had, where that is how they end: workers may
    play on for a moment while it ends.
    """
    held = [reading.descriptors or 0 for reading in readings]
    last = max(at for at, count in enumerate(held) if count >= max(held) / 2)
    ends = len(readings) - last - 1 <= len(readings) // WINDOWS
    return readings[: last + 1] if ends else readings


def _seems_to_grow(asked: _Asked) -> bool:
    """Return whether anything grows by the readings so far. It is judged now and then: to judge
    costs more than to read.
    """
    if asked.answers < asked.judged:
        return False
    asked.judged = asked.answers + asked.answers // JUDGED
    return any(each.may_grow for each in growths(asked.readings))


def _answer(counts: Counts, held: Outside, now: float, pages: Iterable[Counts]) -> Reading:
    """The answer of a process. Where it calls no environment, or not always, the calls are those of
    the whole tree.
    """
    calls = counts.head[page.AT_RESETS], counts.head[page.AT_STEPS]
    if counts.takes_messages:
        held = _without_segments(held)
    if counts.takes_messages or not any(calls):
        calls = _calls_of_all(pages)
    return _reading(counts.head, held, now, calls)


def _calls_of_all(pages: Iterable[Counts]) -> tuple[int, int]:
    """The resets and the steps of the whole tree."""
    rows = [row for counts in pages for row in counts.rows.values()]
    return sum(row[page.RESET + 1] for row in rows), sum(row[page.STEP + 1] for row in rows)


def _reading(
    head: tuple[int, ...], outside_reading: Outside, now: float, calls: tuple[int, int]
) -> Reading:
    return Reading(
        round(now, 3),
        head[page.AT_MADE],
        *calls,
        head[page.AT_HELD],
        _perhaps(head[page.BLOCKS]),
        _perhaps(head[page.MALLOC]),
        head[page.TRACKED],
        head[page.FULL],
        outside_reading.descriptors,
        outside_reading.threads,
        outside_reading.children,
        outside_reading.segments,
        outside_reading.rss,
        pipes=outside_reading.pipes,
        sockets=outside_reading.sockets,
        vectorizers=head[page.AT_VECTORIZERS],
    )


def _perhaps(number: int) -> int | None:
    return None if number < 0 else number
