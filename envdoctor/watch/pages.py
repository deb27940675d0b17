"""Data of the hooks: their pages of counts, and who made what, from their journal."""

from __future__ import annotations

import linecache
import math
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from envdoctor.model import page
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Location
from envdoctor.model.training import OWN_VECTORIZER, PROCESS, THREAD, VECTORIZER, Handed, Site
from envdoctor.model.training_calls import LostThread
from envdoctor.model.training_draws import ConstructorDraw, DefaultSeed, Draw
from envdoctor.model.training_ends import (
    GivenUp,
    GivenUpEpisode,
    HostedTwice,
    KeptInstances,
    NarrowActions,
    PlayedOn,
    Termination,
)
from envdoctor.model.training_events import Announced, announced
from envdoctor.model.training_files import SegmentUse, TemporaryFiles, WrittenFile
from envdoctor.model.training_growth import LOOKS, TrainingHolder
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.model.training_returned import AliasedArray, CountGoesOn, Overwritten, UnreturnedKey
from envdoctor.model.training_settings import Evaluation, HiddenAttribute, Setting
from envdoctor.run.supervise.journal_reader import decode
from envdoctor.starting import JOURNAL
from envdoctor.watch.boot_folder import PAGES
from envdoctor.watch.row_numbers import reset_again, run_on, sources
from envdoctor.watch.script_lines import LateVariables, default_seed, kept_instances

NUMBER = 8  # bytes
#: The kinds of sites, by the names of their events.
SITES = {**{kind: kind for kind in (VECTORIZER, OWN_VECTORIZER, THREAD)}, "processes": PROCESS}
ROW = page.WIDTH * NUMBER
#: Events of a line of the script, and of one that decides how an instance is played.
LINES = ("set", "evaluates", "learns", "hidden", "draws", "given-up", "segment", "constructed")
RETURNED = (
    "overwritten",
    "aliased-array",
    "count-goes-on",
    "unreturned-key",
)  # of what step() returned
PLACES = ("seeded", "seeded-again", "run-on", "reset-again")  # lines that are all there is to know
ROW_LINES = (
    *(*PLACES, "default-seed", "own-seed", "narrow-actions"),
    *("given-up-episode", "kept-closed", "hosted-twice", "visited"),
)


@dataclass
class PageReport:
    """The events of the journal that were read so far."""

    processes: list[Announced] = field(default_factory=list)
    creations: dict[tuple[str, int], Announced] = field(default_factory=dict)
    rank: float = math.inf  # how the best known environments of the training were recognised
    parents: dict[str, str] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    holders: dict[int, list[TrainingHolder]] = field(default_factory=dict)
    looks: dict[int, list[float]] = field(default_factory=dict)
    unfound: dict[int, int] = field(default_factory=dict)
    groups: dict[int, str] = field(default_factory=dict)
    raised: dict[int, Raised] = field(default_factory=dict)
    frames: dict[int, tuple[Location, ...]] = field(default_factory=dict)  # that Ctrl-C left
    threads: dict[int, Raised] = field(default_factory=dict)  # what ended the first of a process
    ignored: dict[int, tuple[Raised, ...]] = field(default_factory=dict)
    calls: dict[tuple[str, int], Announced] = field(default_factory=dict)  # that raised last
    earlier: dict[tuple[str, int], Announced] = field(default_factory=dict)  # right before it
    handed: dict[int, Handed] = field(default_factory=dict)
    asked: dict[int, Termination] = field(default_factory=dict)  # to end, the last time
    waited: dict[int, tuple[int, float]] = field(default_factory=dict)  # how it ended, known when
    exits: dict[int, float] = field(default_factory=dict)  # on the clock of time.monotonic()
    woken: set[int] = field(default_factory=set)
    settings: list[Setting] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)
    segments: list[SegmentUse] = field(default_factory=list)
    overwritten: list[Overwritten] = field(default_factory=list)
    aliased_arrays: list[AliasedArray] = field(default_factory=list)
    kept_counts: list[CountGoesOn] = field(default_factory=list)
    unreturned: list[UnreturnedKey] = field(default_factory=list)
    places: dict[tuple[str, str, int], Location] = field(default_factory=dict)  # of PLACES
    kept: dict[tuple[str, int], KeptInstances] = field(default_factory=dict)
    hosted: dict[tuple[str, int], HostedTwice] = field(default_factory=dict)
    narrow: dict[tuple[str, int], NarrowActions] = field(default_factory=dict)
    #: {file: the lines that open it for writing}
    openers: dict[str, set[Location]] = field(default_factory=dict)
    #: {(process, line): the temporary files and folders that it made}
    temporary: dict[tuple[int, Location], list[str]] = field(default_factory=dict)
    hidden: dict[tuple[str, int], tuple[HiddenAttribute, ...]] = field(default_factory=dict)
    draws: dict[tuple[str, int], tuple[Draw, ...]] = field(default_factory=dict)
    constructed: dict[tuple[str, int], tuple[ConstructorDraw, ...]] = field(default_factory=dict)
    default_seeds: dict[tuple[str, int], DefaultSeed] = field(default_factory=dict)
    played_on: dict[tuple[str, int], PlayedOn] = field(default_factory=dict)
    episodes: dict[tuple[str, int], GivenUpEpisode] = field(default_factory=dict)  # given up
    late: LateVariables = field(default_factory=LateVariables)
    jobs: dict[tuple[int, int], Announced] = field(default_factory=dict)  # given up, not ended
    lost_locks: list[Location] = field(default_factory=list)
    sites: dict[tuple[str, int], Announced] = field(default_factory=dict)
    workers: dict[tuple[str, int], set[int]] = field(default_factory=dict)  # that sites started
    lost_threads: dict[int, tuple[LostThread, ...]] = field(default_factory=dict)
    lost_native: dict[int, int] = field(default_factory=dict)
    own_seeds: dict[int, Location] = field(default_factory=dict)
    #: {process: (when it was started, in the kernel's ticks, the line that did so)}
    children: dict[int, tuple[int, Location | None]] = field(default_factory=dict)
    _longer: dict[int, list[TrainingHolder]] = field(
        default_factory=dict
    )  # of the look that is under way

    def take(self, events: Iterable[Announced]) -> list[Announced]:
        """Take events in; the processes among them."""
        new = []
        for event in events:
            if event.what == "process":
                new.append(event)
            elif event.holder is not None:
                self._longer.setdefault(event.pid, []).append(event.holder)
            elif event.what == "job-given-up":
                self.jobs[event.pid, event.number] = event
            elif event.what in ("lost-lock", "lock-released") and event.location is not None:
                self._take_lock(event.what, event.location)
            elif event.what == "job-ended":
                self.jobs.pop((event.pid, event.number), None)
            else:
                self._take(event)
        self.processes += new
        return new

    def _take(self, event: Announced) -> None:
        if event.what == "instance":
            self.creations[event.page, event.row] = event
            self.rank = min(self.rank, event.rank)
        elif event.what in SITES:
            self.sites[event.page, event.row] = event
        elif event.what == "started":
            self.workers.setdefault((event.page, event.row), set()).update(event.workers)
        elif event.what == "page":
            self.parents[event.page] = event.where
        elif event.what == "launch":
            self.groups |= dict.fromkeys(event.workers, event.group)
        elif event.what == "failed":
            self.failed[event.why] = event.pid
        elif event.what == "looked":
            self._looked(event)
        elif event.what in LINES:
            self._take_line(event)
        elif event.what in RETURNED and event.location is not None:
            self._take_returned(event, event.location)
        else:
            self._take_process(event)

    def _take_line(self, event: Announced) -> None:
        """Something that a line sets, draws from or gives up, or that only a wrapper got."""
        key = (event.page, event.row)
        if event.what == "segment" and event.location is not None:
            use = (event.pid, event.method, event.where, event.location, event.number)
            self.segments.append(SegmentUse(*use))
        elif event.what in ("set", "evaluates", "learns"):
            self._take_setting(event)
        elif event.what == "constructed":
            known = ConstructorDraw(event.message, event.number, event.location)
            self.constructed[key] = (*self.constructed.get(key, ()), known)
        elif event.what == "hidden":
            attribute = HiddenAttribute(event.message, event.type)
            self.hidden[key] = (*self.hidden.get(key, ()), attribute)
        elif event.what == "given-up" and event.location and event.called_at:
            names, places = (event.type, event.by), (event.location, event.called_at)
            self.given_up += [GivenUp(pid, *names, *places) for pid in event.workers]
        elif event.location is not None:
            self.draws[key] = (
                *self.draws.get(key, ()),
                Draw(event.message, event.location, event.by),
            )

    def _take_setting(self, event: Announced) -> None:
        """A line that sets something through a vectorizer, or evaluates with what is set."""
        if event.what == "set":
            self.settings.append(Setting(event.method, event.type, event.message, event.location))
        elif event.what == "learns":  # an agent may be looked at before its training
            self.evaluations = [each for each in self.evaluations if not each.is_unlearned]
        elif event.location is not None:
            names, is_unlearned = (event.type, event.method, event.message), event.number > 0
            self.evaluations.append(Evaluation(*names, event.location, is_unlearned, event.by))

    def _take_returned(self, event: Announced, place: Location) -> None:
        """Arrays and counts that a step() returned."""
        if event.what == "overwritten":
            known = Overwritten(event.pid, event.type, event.number, place)
            self.overwritten.append(known)
        elif event.what == "unreturned-key":
            names = (event.message, event.type)
            self.unreturned.append(UnreturnedKey(event.pid, *names, event.number, place))
        elif event.what == "count-goes-on":
            names, anew = (event.type, event.message), sum(event.workers)
            self.kept_counts.append(CountGoesOn(event.pid, *names, anew, event.number, place))
        else:
            self.aliased_arrays.append(AliasedArray(event.pid, event.type, event.workers, place))

    def _take_process(self, event: Announced) -> None:
        if event.what == "fork":
            self.lost_threads[event.pid] = event.lost_threads
            self.lost_native[event.pid] = event.number
        elif event.what == "exits":
            self.exits.setdefault(event.pid, event.t)
        elif event.what == "woken":
            self.woken.add(event.pid)
        elif event.what == "terminates":
            request = Termination(event.number, event.pid, event.location, bool(event.by))
            self.asked |= dict.fromkeys(event.workers, request)
        elif event.what == "waited":
            self.waited |= dict.fromkeys(event.workers, (event.number, event.t))
        elif event.what in ROW_LINES and event.location is not None:
            self._take_row(event, (event.page, event.row), event.location)
        elif event.what == "opens" and event.location is not None:
            self.openers.setdefault(event.where, set()).add(event.location)
        elif event.what == "temporary" and event.location is not None:
            self.temporary.setdefault((event.pid, event.location), []).append(event.where)
        elif event.what == "child":
            self.children |= dict.fromkeys(event.workers, (event.number, event.location))
        else:
            self._take_error(event)

    def _take_lock(self, what: str, place: Location) -> None:
        """A lock was taken at a place for a task that was cancelled, or came back."""
        if what == "lost-lock":
            self.lost_locks.append(place)
        elif place in self.lost_locks:
            self.lost_locks.remove(place)

    def _take_row(self, event: Announced, row: tuple[str, int], place: Location) -> None:
        """A line that decides how an instance is played."""
        if event.what in PLACES:
            self.places[(event.what, *row)] = place
        elif event.what == "own-seed":
            self.own_seeds[event.pid] = place
        elif event.what == "hosted-twice":
            self.hosted[row] = HostedTwice(event.by, event.number, place, event.method)
        elif event.what == "narrow-actions":
            self.narrow[row] = NarrowActions(event.number, event.calls, event.message, place)
        elif event.what == "kept-closed":
            self.kept[row] = kept_instances(event, place, self.creation(*row))
        elif event.what == "given-up-episode" and event.called_at is not None:
            self.episodes[row] = GivenUpEpisode(event.number, place, event.called_at)
        elif event.what == "visited" and event.called_at is not None:
            self.played_on[row] = PlayedOn(event.number, place, event.called_at)
        else:
            seed = default_seed(event)
            self.default_seeds |= {row: seed} if seed is not None else {}

    def _take_error(self, event: Announced) -> None:
        if event.what == "raised":
            self.raised[event.pid], self.frames[event.pid] = raised(event), event.frames
        elif event.what == "thread-raised":
            self.threads.setdefault(event.pid, raised(event))
        elif event.what == "ignored":
            self.ignored[event.pid] = (*self.ignored.get(event.pid, ()), raised(event))
        elif event.what == "call-raised":
            self._take_call(event)
        elif event.what == "launch-raised":
            error = (event.type, event.message)
            self.handed[event.pid] = Handed(event.by, event.instance_class, event.number, *error)

    def _take_call(self, event: Announced) -> None:
        """A call of an instance raised; right before a close() that raised, another may have."""
        key = event.page, event.row
        before = self.calls.get(key)
        self.calls[key] = event
        self.earlier.pop(key, None)
        if before is None or event.method != "close" or before.method not in ("reset", "step"):
            return
        if (before.number + 1, before.calls) == (event.number, event.calls):
            self.earlier[key] = before

    def _looked(self, event: Announced) -> None:
        """A look is over. Of several pairs of them, the last says what gets longer."""
        looks = self.looks.setdefault(event.pid, [])
        looks.append(event.seconds)
        if len(looks) % LOOKS == 0:
            self.holders[event.pid] = self._longer.pop(event.pid, [])
            self.unfound[event.pid] = event.unfound

    def last_errors(
        self, row: tuple[str, int], numbers: tuple[int, ...]
    ) -> tuple[Raised | None, Raised | None]:
        """The exception of the call of a row that raised last, where that is known; and that of the
        call before it, where that was a close().
        """
        error, earlier = self.calls.get(row), self.earlier.get(row)
        if error is None or error.number != numbers[_raises(error.method)]:
            return None, None
        before = replace(raised(earlier), at=0.0) if earlier is not None else None
        return replace(raised(error), at=0.0), before

    def temporary_files(self) -> tuple[TemporaryFiles, ...]:
        """The temporary files and folders that lines made, and how many are there now."""
        return tuple(
            TemporaryFiles(*line, len(paths), sum(map(os.path.lexists, paths)))
            for line, paths in self.temporary.items()
        )

    def group(self, pid: int, creation: Announced | None) -> str:
        """The vectorizer that what is made in a process belongs to: a worker may make one of its
        own, as SuperSuit's do, and the outer one counts.
        """
        return self.groups.get(pid, "") or (creation.group if creation else "")

    def starter_of(self, pid: int, start: int) -> Location | None:
        """The line that started the process of this number and start."""
        known, location = self.children.get(pid, (0, None))
        return location if known == start else None

    def with_lines(self, file: WrittenFile) -> WrittenFile:
        """A file with the lines that open it for writing."""
        lines = self.openers.get(file.path, set())
        return replace(file, lines=tuple(sorted(lines, key=lambda each: (each.file, each.line))))

    def counts(self, creation: Announced | None) -> bool:
        """Return whether what was made is an environment: beside better known ones it may be a
        wrapper of one, or a simulator in it.
        """
        return creation is None or creation.rank <= self.rank

    def creation(self, name: str, row: int) -> Announced | None:
        """The event that says who made what is counted in a row: of inherited instances, the
        parent's.
        """
        while name:
            if (name, row) in self.creations:
                return self.creations[name, row]
            name = self.parents.get(name, "")
        return None


def raised(event: Announced) -> Raised:
    """The exception of an event."""
    what = (event.type, event.message, event.location, event.method, event.within, event.t)
    places = (event.called_at, event.origin, event.detail)
    place = event.location
    is_file = place is not None and os.path.isfile(place.file)  # a pipe might never be written to
    text = linecache.getline(place.file, place.line).strip() if place and is_file else ""
    return Raised(*what, event.closed_at, event.instance_class, *places, text)


class JournalFile:
    """The journal, followed while it is written."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / JOURNAL).open("rb", buffering=0)
        self._rest = b""

    def read(self) -> Iterator[Announced]:
        """Yield the events that were appended."""
        *lines, self._rest = (self._rest + (self._file.read() or b"")).split(b"\n")
        for line in lines:
            event = decode(line)
            with suppress(TypeError, ValueError, AttributeError):
                if event:
                    yield announced(event)

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


@dataclass(frozen=True)
class Counts:
    """The page of one process as it is now: {row: numbers}."""

    name: str
    pid: int
    made: int
    unfollowed: int
    rows: dict[int, tuple[int, ...]]
    head: tuple[int, ...] = ()
    sites: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def answers(self) -> bool:
        """True if something is called in the process that answers what the doctor asks."""
        columns = (page.USED, page.READ, page.VECTORIZERS, page.MESSAGES)
        return bool(self.head) and any(self.head[column] for column in columns)

    @property
    def seeded(self) -> tuple[str, ...]:
        """The global generators that were seeded in the process."""
        return sources(self.head[page.SEEDED_GLOBALLY]) if self.head else ()

    @property
    def seeded_python(self) -> bool | None:
        """True if Python's generator was seeded in the process; None where that is not known."""
        known = self.head and self.head[page.SEEDS_NOTICED]
        return page.SOURCES[page.PYTHON] in self.seeded if known else None

    @property
    def messages(self) -> int:
        """The messages that the process has waited for."""
        return self.head[page.RECEIVED] if self.head else 0

    @property
    def takes_messages(self) -> bool:
        """True if it answers when it takes messages of the processes that it started."""
        return bool(self.head and self.head[page.MESSAGES] and not self.head[page.VECTORIZERS])


def read_pages(folder: Path) -> list[Counts]:
    """The pages of all processes, of the dead ones, too."""
    result = (read_page(path) for path in sorted(folder.glob(PAGES), key=os.path.getmtime))
    return [counts for counts in result if counts is not None]


def read_page(path: Path) -> Counts | None:
    """One page; None where it is not complete."""
    try:
        with path.open("rb", buffering=0) as file:
            head = _numbers(file.read(ROW))
            if len(head) < page.WIDTH or head[page.MAGIC] != page.MARK:
                return None
            file.seek(page.FIRST * ROW)
            data = file.read(min(head[page.USED], page.ROWS - page.FIRST) * ROW)
            lines = min(head[page.SITES], page.SITES_MOST)
            file.seek((page.ROWS - lines) * ROW)
            last = file.read(lines * ROW)
    except OSError:
        return None
    rows = {at // ROW + 1: _numbers(data[at : at + ROW]) for at in range(0, len(data), ROW)}
    sites = {lines - at // ROW: _numbers(last[at : at + ROW]) for at in range(0, len(last), ROW)}
    made, unfollowed = head[page.MADE], head[page.UNFOLLOWED]
    return Counts(path.name, head[page.PID], made, unfollowed, rows, head, sites)


def _numbers(data: bytes) -> tuple[int, ...]:
    total = len(data) - len(data) % NUMBER
    return tuple(memoryview(data[:total]).cast("q"))


def instances(counts: Counts, page_report: PageReport) -> Iterator[Instances]:
    """The instances of one page."""
    for row in counts.rows:
        if page_report.counts(creation := page_report.creation(counts.name, row)):
            yield _instance(counts, row, creation, page_report)


def _instance(counts: Counts, row: int, made: Announced | None, report: PageReport) -> Instances:
    numbers, key = counts.rows[row], (counts.name, row)
    error, earlier = report.last_errors(key, numbers)
    return Instances(
        pid=counts.pid,
        row=row,
        type=made.type if made else "",
        location=made.location if made else None,
        by=made.by if made else "",
        copied=bool(made and made.copied),
        closes=made is None or made.closes,
        takes_seed=made is None or made.takes_seed,
        number=numbers[page.INSTANCES],
        inherited=numbers[page.INHERITED],
        gone=numbers[page.GONE],
        closed=numbers[page.CLOSED],
        lost=numbers[page.LOST],
        unmade=numbers[page.UNMADE],
        raised=numbers[page.RAISED],
        again=numbers[page.AGAIN],
        group=report.group(counts.pid, made),
        seed=numbers[page.SEED] if numbers[page.SEEDED] > numbers[page.RESEEDED] else None,
        reseeded=numbers[page.RESEEDED],
        beginning=numbers[page.BEGINNING],
        varied=numbers[page.VARIED] > 0,
        same=numbers[page.SAME],
        alike=numbers[page.ALIKE],
        forced=numbers[page.FORCED] > 0,
        generators=numbers[page.STATES : page.STATES + len(page.SOURCES)],
        moved=sources(numbers[page.MOVED]),
        set_back=sources(numbers[page.SET_BACK]),
        holds=numbers[page.HOLDS],
        arguments=numbers[page.ARGUMENTS],
        drawn=numbers[page.DRAWN] & page.BY_RESET > 0,
        drawn_again=numbers[page.DRAWN] in page.DRAWN_AGAIN,
        error=error,
        earlier=earlier,
        step_digest=max(0, numbers[page.ACTED]),
        turns=numbers[page.TURNS],
        since=numbers[page.RESET + 1] + numbers[page.STEP + 1] - numbers[page.AT_RAISE],
        optioned=numbers[page.OPTIONED],
        not_finite=numbers[page.NOT_FINITE],
        unseeded=sources(numbers[page.UNSEEDED]),
        seeded_at=report.places.get(("seeded", *key)),
        seeded_again_at=report.places.get(("seeded-again", *key)),
        hidden=report.hidden.get(key, ()),
        draws=report.draws.get(key, ()),
        constructed=report.constructed.get(key, ()),
        default_seed=report.default_seeds.get(key),
        given_up=report.episodes.get(key),
        played_on=report.played_on.get(key),
        run_on=run_on(numbers, report.places.get(("run-on", *key))),
        kept=report.kept.get(key),
        hosted=report.hosted.get(key),
        narrow=report.narrow.get(key),
        late=report.late.of(made),
        reset_again=reset_again(numbers, report.places.get(("reset-again", *key))),
        episode=numbers[page.STEP + 1] - numbers[page.AT_BEGINNING],
        **{name: Calls(*numbers[at : at + 2]) for name, at in page.METHODS.items()},
    )


def _raises(method: str) -> int:
    """The column in which a row counts calls of a method that raised."""
    return page.UNMADE if method == "make" else page.RAISED


def sites(counts: Counts, page_report: PageReport) -> Iterator[Site]:
    """The lines of one page's process that make vectorizers or start threads or processes. A class
    of the user's is a vectorizer where environments are made in the processes that it starts.
    """
    makers = {event.pid for event in page_report.creations.values()}
    for row, numbers in counts.sites.items():
        event = page_report.sites.get((counts.name, row))
        workers = page_report.workers.get((counts.name, row), set())
        if event is not None and (event.what != OWN_VECTORIZER or workers & makers):
            yield Site(
                counts.pid,
                SITES[event.what],
                event.type,
                event.location,
                event.where,
                made=numbers[page.SITE_MADE],
                gone=numbers[page.SITE_GONE],
                closed=numbers[page.SITE_CLOSED],
                idle=numbers[page.SITE_IDLE],
                reused=numbers[page.SITE_REUSED],
                alive=numbers[page.SITE_ALIVE],
                workers=numbers[page.SITE_WORKERS],
                running=numbers[page.SITE_RUNNING],
                pids=tuple(sorted(workers)),
                owner=event.by,
            )
