"""A training, followed while it runs: which processes are there, how they end, and which calls do
not come back.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from envdoctor.model import page
from envdoctor.model.training import ASKED, Silent, Standstill, Training, TrainingProcess
from envdoctor.model.training_calls import SLOW, STILL, HeldLock, LongCall
from envdoctor.model.training_events import Announced
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.model.waits import Wait
from envdoctor.run.supervise import guard
from envdoctor.run.supervise.idle_detection import Idleness
from envdoctor.run.supervise.machine import machine
from envdoctor.starting import JOURNAL
from envdoctor.watch import script_lines, tree
from envdoctor.watch.children import Children
from envdoctor.watch.crashes import crash_of
from envdoctor.watch.given_up_jobs import WatchedJobs
from envdoctor.watch.held_locks import held_before
from envdoctor.watch.notices import Notices
from envdoctor.watch.pages import Counts, JournalFile, PageReport, instances, read_pages, sites
from envdoctor.watch.polling import Polls
from envdoctor.watch.readings import TrainingReadings
from envdoctor.watch.stacks import stacks
from envdoctor.watch.stuck_forks import StuckForks
from envdoctor.watch.written_files import WrittenFiles

LOOK_EVERY = 1.0  # seconds between two looks at the pages and at the tree
MISSED = 3 * LOOK_EVERY  # between the last look at a call that hung and a request to end
NOTICED = 2.0  # seconds after which a call is kept
FORK, MULTIPROCESSING = "fork", "--multiprocessing-fork"  # how a process was started
SERVER = "from multiprocessing.forkserver"
SILENT_AFTER = 2.0  # seconds that a Python has to report
GRACE = 5.0  # seconds for what ends by itself after the training
PAUSE = 0.05
DUMPED = 8  # processes of a training that stands still, whose stacks are read
_idleness = partial(Idleness, ticks=True)


@dataclass
class _Call:
    """A call that did not come back yet, since when it was seen."""

    began: int
    since: float
    until: float
    clock: Idleness = field(default_factory=_idleness)
    still: float = 0.0
    ticking: int = 0
    waiting: Idleness = field(default_factory=_idleness)
    waiter: int = 0
    waited: float = 0.0  # when the waiter was last seen to
    stacks: str = ""
    was_dumped: bool = False
    waits: tuple[Wait, ...] = ()
    held: HeldLock | None = None

    @property
    def seconds(self) -> float:
        """For how long it was seen to be under way."""
        return self.until - self.since


@dataclass
class _Stand:
    """A look at whether anything of the training runs. As long as calls come back, it does."""

    calls: float = -math.inf
    clock: Idleness = field(default_factory=_idleness)
    is_watched: bool = False
    last: float = 0.0  # when it was last seen to stand still
    standstill: Standstill | None = None


@dataclass
class _Life:
    """One process that reports."""

    event: Announced
    descriptor: int = -1
    code: int | None = None
    ended: float | None = None


class Follower:
    """Observations of a training whose run's directory is `folder`."""

    def __init__(
        self,
        folder: Path,
        command: tuple[str, ...],
        look_at_containers: bool = True,
        asks: bool = True,
        earlier: Collection[int] = (),
    ) -> None:
        """`earlier` are processes that were started before it was watched: they cannot report."""
        self._earlier = earlier
        self.folder, self.command = folder, command
        self.began = time.monotonic()
        self.pid = self.code = 0
        self.page_report = PageReport()
        self.readings = TrainingReadings(folder, look_at_containers, asks)
        self.children = Children()
        self.files = WrittenFiles()
        self.jobs = WatchedJobs()
        self.instances: tuple[Instances, ...] = ()
        self._journal = JournalFile(folder)
        self._processes: list[_Life] = []
        self._ends = select.poll()
        self._notices = Notices(folder / JOURNAL)
        if self._notices.descriptor >= 0:
            self._ends.register(self._notices.descriptor, select.POLLIN)
        self._calls: dict[tuple[int, int, str], _Call] = {}
        self._ended: dict[tuple[int, int, str], _Call] = {}  # that raised after they hung
        self._interrupted: float | None = None  # when the first request to end came
        self._asked = 0.0  # when the last one came
        self._stopped = 0.0  # seconds after the training began, when Ctrl-C came
        self._usual: dict[tuple[str, str], float] = {}
        self._waiters: dict[int, tuple[float, str]] = {}
        self._silent: dict[int, Silent] = {}
        self._stand, self._stuck = _Stand(), StuckForks(stacks)
        self._polls = Polls()
        self._looked = 0.0

    def wait(self, seconds: float) -> None:
        """Wait until a process ends, one says something, or for so long."""
        ready = self._ends.poll(int(seconds * 1000))
        for descriptor, _ in ready:
            for life in self._processes:
                if life.descriptor == descriptor:
                    self._over(life)
        if any(descriptor == self._notices.descriptor for descriptor, _ in ready):
            self._notices.clear()
            self._listen()

    def wake_for(self, descriptor: int) -> None:
        """Have wait() end as well once there is something to read."""
        self._ends.register(descriptor, select.POLLIN)

    def sleep_through(self, descriptor: int) -> None:
        """Have wait() end for it no longer."""
        self._ends.unregister(descriptor)

    @property
    def pause(self) -> float:
        """Seconds until the next reading is due."""
        return self.readings.pause(time.monotonic() - self.began)

    def look(self) -> None:
        """Take in what was said; now and then, look at the pages and at the tree."""
        self._listen()
        now = time.monotonic()
        due, seconds = now - self._looked >= LOOK_EVERY, now - self.began
        if not due and not self.readings.due(seconds):
            return
        pages = read_pages(self.folder)
        self.readings.take(pages, self._alive, seconds, self.pid)
        if self.children.due(seconds):
            self.children.take(pages, self._alive, self._workers, seconds)
        self.files.look(self._alive & {counts.pid for counts in pages}, seconds)
        if due:
            self._looked = now
            self.jobs.look(self.page_report.jobs.values())
            self._look_at_pages(pages, now)
            self._look_for_standstill(now)
            if not self._asked:
                lost = self.page_report.lost_threads
                self._stuck.look(lost, self._alive, self.pid, seconds)
                self._polls.look(self.pid, self.instances, now)
            self._look_for_silent()

    @property
    def _alive(self) -> set[int]:
        return {life.event.pid for life in self._processes if life.ended is None}

    @property
    def _workers(self) -> set[int]:
        """Processes that multiprocessing started, in which a vectorizer made instances."""
        hosts = {instance.pid for instance in self.instances if instance.by} - {self.pid}
        return {
            life.event.pid
            for life in self._processes
            if life.event.started == FORK or MULTIPROCESSING in life.event.command
        } & hosts

    def _listen(self) -> None:
        for process in self.page_report.take(self._journal.read()):
            self._admit(process)

    def _admit(self, process: Announced) -> None:
        life = _Life(process)
        self._silent.pop(process.pid, None)  # on a busy machine it may report late
        for earlier in self._processes:  # another program in its place: os.execv
            if earlier.event.pid == process.pid and earlier.ended is None:
                self._over(earlier)
        self._processes.append(life)
        try:
            life.descriptor = os.pidfd_open(process.pid)
        except OSError:
            self._over(life)
            return
        self._ends.register(life.descriptor, select.POLLIN)

    def _over(self, life: _Life) -> None:
        """A process has ended: how, its parent may not have asked yet."""
        life.code = machine.exit_code(life.event.pid)
        life.ended = time.monotonic() - self.began
        if life.descriptor >= 0:
            self._ends.unregister(life.descriptor)
            os.close(life.descriptor)
            life.descriptor = -1

    def _look_at_pages(self, pages: list[Counts], now: float) -> None:
        result = [instance for counts in pages for instance in instances(counts, self.page_report)]
        self.instances = tuple(result)
        alive, known = self._alive, set()
        for item in result:
            method = item.running
            if not method or item.pid not in alive:
                continue
            key, began = (item.pid, item.row, method), item.calls(method).began
            known.add(key)
            call = self._calls.get(key)
            if call is not None and call.began == began:
                self._look_at_call(call, item.pid, now)
                continue
            if call is not None:
                self._came_back(item, method, call)
            self._calls[key] = call = _Call(began, now, now)
            call.clock.begin([item.pid])
        rows = {(item.pid, item.row): item for item in result}
        for key in set(self._calls) - known:
            if key[0] not in alive:
                continue
            row, call = rows.get(key[:2]), self._calls.pop(key)
            if row is not None and row.stopped and call.still >= STILL:
                self._ended[key] = call
            else:
                self._came_back(row, key[2], call)

    def _look_at_call(self, call: _Call, pid: int, now: float) -> None:
        """A call that was under way at the last look, too."""
        call.until = now
        still = call.clock.seconds([pid])
        # Ctrl-C wakes what waits, and does not end its wait.
        if still > call.still or now - self._asked > MISSED:
            call.still, call.ticking = still, len(call.clock.ticking)
        starter = self._starter(pid)
        waited = call.waiting.seconds([starter]) if starter else 0.0
        if waited >= STILL - LOOK_EVERY:
            call.waiter, call.waited = starter, now
        elif now - call.waited >= STILL:  # a signal that ends it wakes it
            call.waiter = 0
        if (call.still >= STILL or call.seconds >= SLOW) and not call.was_dumped:
            call.was_dumped = True
            dumps = [stacks(pid)]
            if call.waiter:
                dumps.append(self._stacks_of_waiter(call.waiter, now))
            call.stacks = "\n".join(filter(None, dumps))
            call.waits = machine.blocked([pid])
            call.held = held_before(pid, dumps[0], self.page_report.lost_threads.get(pid, ()))

    def _stacks_of_waiter(self, pid: int, now: float) -> str:
        """The stacks of one process that waits for many: not looked at again for each of them."""
        looked, observed = self._waiters.get(pid, (-STILL, ""))
        if now - looked >= STILL:
            looked, observed = self._waiters[pid] = (now, stacks(pid))
        return observed

    def _came_back(self, item: Instances | None, method: str, call: _Call) -> None:
        kind = item.type if item else "", method
        self._usual[kind] = max(call.seconds, self._usual.get(kind, 0.0))

    def _starter(self, pid: int) -> int:
        """The process that had another one started, past a server of multiprocessing; else 0."""
        running = {life.event.pid: life.event for life in self._processes if life.ended is None}
        parent = running.get(running[pid].parent) if pid in running else None
        while parent is not None and SERVER in " ".join(parent.command):
            parent = running.get(parent.parent)
        return parent.pid if parent is not None else 0

    def _look_for_standstill(self, now: float) -> None:
        """Look whether no call came back since the last look, and nothing of the training runs."""
        stand = self._stand
        calls = sum(
            instance.calls(name).ended
            for instance in self.instances
            for name in ("make", "reset", "step")
        )
        # A request to end has a call that stood still raise: it did not come back.
        calls -= sum(instance.raised + instance.unmade for instance in self.instances)
        if calls > stand.calls:
            self._stand = _Stand(calls)  # what stood still goes on
            return
        stand.calls = calls
        pids = self._tree()
        if not stand.is_watched:
            stand.is_watched = True
            stand.clock.begin(pids)
            return
        still = stand.clock.seconds(pids)
        if still >= STILL:
            stand.last = now
            if stand.standstill is None:
                stand.standstill = self._standstill(pids, now)
            ticking = len(stand.clock.ticking)
            stand.standstill = replace(stand.standstill, seconds=still, ticking=ticking)
        elif now - stand.last >= STILL:  # a signal that ends it wakes it
            stand.standstill = None

    def _tree(self) -> list[int]:
        """The processes of the training that run."""
        return sorted({*tree.below(self.pid), *self._alive} - {os.getpid()})

    def _standstill(self, pids: list[int], now: float) -> Standstill:
        waits, pythons = machine.blocked(pids), filter(tree.is_python, pids)
        dumps = {pid: self._stacks_of_waiter(pid, now) for pid in [*pythons][:DUMPED]}
        lost = self.page_report.lost_threads
        held = (held_before(pid, dumps[pid], lost.get(pid, ())) for pid in dumps)
        text, locks = "\n".join(filter(None, dumps.values())), tuple(filter(None, held))
        return Standstill(
            0.0, waits, text, now - self.began, held=locks, wakers=script_lines.wakers_in(dumps)
        )

    def _seen_to_stand(self) -> Standstill | None:
        """The standstill as it was seen, with whether a request to end came in it."""
        standstill, stuck = self._stand.standstill, self._stuck.standstill
        if stuck is not None and (standstill is None or standstill.ticking):
            return stuck
        if standstill is None:
            return None
        return replace(standstill, asked=self._asked >= self._stand.last - standstill.seconds)

    def _look_for_silent(self) -> None:
        known = {life.event.pid for life in self._processes} | {*self._silent, *self._earlier}
        for pid in tree.below(self.pid):
            if pid in known or not tree.is_python(pid) or tree.age(pid) < SILENT_AFTER:
                continue
            reason = tree.why_silent(pid, str(self.folder))
            self._silent[pid] = Silent(pid, machine.describe(pid), reason)

    def interrupted(self, by_user: bool = False) -> None:
        """Take note that a request to end came: what hung may raise because of it, before its page
        is looked at again. `by_user`: Ctrl-C.
        """
        self._asked = time.monotonic()
        if by_user and not self._stopped:
            self._stopped = self._asked - self.began
        if self._interrupted is None:
            self._interrupted = self._asked

    @property
    def long_calls(self) -> tuple[LongCall, ...]:
        """Calls that had not come back when they were last looked at."""
        return self._long(self._calls)

    def _long(self, calls: Mapping[tuple[int, int, str], _Call]) -> tuple[LongCall, ...]:
        types = {(instance.pid, instance.row): instance.type for instance in self.instances}
        return tuple(
            LongCall(
                *key,
                seconds=call.seconds,
                still=call.still,
                stacks=call.stacks,
                waiter=call.waiter,
                usual=self._usual.get((types.get(key[:2], ""), key[2]), 0.0),
                waits=call.waits,
                held=call.held,
                ticking=call.ticking,
            )
            for key, call in calls.items()
            if call.seconds >= NOTICED
        )

    @property
    def running(self) -> int:
        """The number of processes that report and run."""
        return sum(life.ended is None for life in self._processes)

    def finish(self, code: int) -> Training:
        """The training, once its command has ended with a code."""
        seconds, self.code = time.monotonic() - self.began, code
        left = self._left()
        self.count()
        training = self.training(seconds)
        processes = tuple(
            replace(process, code=code) if process.pid == self.pid else process
            for process in training.processes
        )
        calls = self._long({**self._ended, **self._calls})
        calls = tuple(call for call in calls if self._is_running(call))
        return replace(
            training,
            code=code,
            processes=processes,
            long_calls=calls,
            left=left,
            over=True,
            temporary=self.page_report.temporary_files(),
        )

    def count(self) -> None:
        """Take in all that was said and counted up to now."""
        self._listen()
        self.wait(0)
        pages = read_pages(self.folder)
        self.instances = tuple(each for page in pages for each in instances(page, self.page_report))

    def training(self, seconds: float | None = None) -> Training:
        """The training as it was when it was last looked at."""
        pages = read_pages(self.folder)
        by_pid = {page.pid: page for page in pages}
        frames = self.page_report.frames.get(self.pid, ())
        return Training(
            self.command,
            self.pid,
            0,
            time.monotonic() - self.began if seconds is None else seconds,
            tuple(self._process(life, by_pid.get(life.event.pid)) for life in self._processes),
            self.instances,
            self.long_calls,
            (),
            tuple(self._silent.values()),
            tuple(sorted(self.page_report.failed)),
            self.readings.series(self.page_report),
            over=False,
            children=self.children.series(self._workers),
            standstill=self._seen_to_stand(),
            sites=tuple(site for page in pages for site in sites(page, self.page_report)),
            polling=self._polls.polling(self._asked, MISSED, frames),
            episode=script_lines.episode_loop(frames),
            file_looks=self.files.looks,
            written=tuple(map(self.page_report.with_lines, self.files.written)),
            interrupted=self._stopped,
            settings=tuple(self.page_report.settings),
            evaluations=tuple(self.page_report.evaluations),
            given_up=tuple(map(script_lines.with_line, self.page_report.given_up)),
            segments=tuple(self.page_report.segments),
            overwritten=tuple(self.page_report.overwritten),
            aliased_arrays=tuple(map(script_lines.with_names, self.page_report.aliased_arrays)),
            counts=tuple(map(script_lines.with_set_back, self.page_report.kept_counts)),
            unreturned=tuple(self.page_report.unreturned),
            lost_locks=tuple(self.page_report.lost_locks),
            jobs=self.jobs.never_ended(self.page_report.jobs.values()),
        )

    def _end_of(self, life: _Life) -> tuple[int | None, float | None]:
        """The exit code of a process, and when it ended. What its parent learned is sure, and was
        before the parent's own end.
        """
        code, known = self.page_report.waited.get(life.event.pid, (0, 0.0))
        if life.ended is None or known < life.event.t:
            return life.code, life.ended
        return code, min(life.ended, known - self.began)

    def _process(self, life: _Life, counts: Counts | None) -> TrainingProcess:
        announced, pid, page_report = life.event, life.event.pid, self.page_report
        code, ended = self._end_of(life)
        return TrainingProcess(
            pid,
            announced.parent,
            " ".join(announced.command),
            announced.started,
            announced.python,
            code,
            ended,
            counts.unfollowed if counts is not None else 0,
            self._placed(page_report.raised.get(pid)),
            self._placed(page_report.threads.get(pid)),
            page_report.exits[pid] - self.began if pid in page_report.exits else None,
            page_report.handed.get(pid),
            page_report.lost_threads.get(pid, ()),
            page_report.asked.get(pid),
            announced.t - self.began,
            lost_native=page_report.lost_native.get(pid, 0),
            ignored=page_report.ignored.get(pid, ()),
            woken=pid in page_report.woken,
            seeded=counts is not None and page.SOURCES[page.NUMPY] in counts.seeded,
            seeded_python=counts.seeded_python if counts is not None else None,
            own_seed=page_report.own_seeds.get(pid),
            crash=crash_of(self.folder, pid) if code is not None and code < 0 else "",
            messages=counts.messages if counts is not None else 0,
        )

    def _placed(self, error: Raised | None) -> Raised | None:
        """An error, with the seconds since the training began."""
        return None if error is None else replace(error, at=error.at - self.began)

    def _is_running(self, call: LongCall) -> bool:
        """Return whether a call never came back, as the page has it after all: it may have raised
        when a request to end came, as Ctrl-C does, and none came back after it.
        """
        ends = (self._end_of(life)[0] for life in self._processes if life.event.pid == call.pid)
        code = next(ends, None)
        if call.pid == self.pid:
            code = self.code
        key = (call.pid, call.row, call.method)
        ended = self._ended.get(key) or self._calls[key]
        was_asked = self._interrupted is not None and self._interrupted - ended.until <= MISSED
        asked = was_asked or (code in ASKED and key in self._calls)
        return any(
            (instance.pid, instance.row) == (call.pid, call.row)
            and (
                instance.calls(call.method).running
                or (asked and instance.was_stopped_in(call.method))
            )
            for instance in self.instances
        )

    def _left(self) -> tuple[TrainingProcess, ...]:
        """Processes that run on after the training, and do not end by themselves in a moment."""
        deadline = time.monotonic() + GRACE
        while pids := self._there():
            if time.monotonic() >= deadline:
                break
            time.sleep(PAUSE)
        return tuple(self._left_running(pid) for pid in sorted(pids))

    def _left_running(self, pid: int) -> TrainingProcess:
        started_by = self.page_report.starter_of(pid, tree.started(pid))
        return TrainingProcess(pid, command=machine.describe(pid), location=started_by)

    def _there(self) -> set[int]:
        named = guard.named_in(str(self.folder))
        named |= {life.event.pid for life in self._processes if life.ended is None}
        return {pid for pid in named - {os.getpid(), self.pid} if machine.is_running(pid)}

    def close(self) -> None:
        """Give all descriptors back."""
        self._journal.close()
        self._notices.close()
        for life in self._processes:
            if life.descriptor >= 0:
                with suppress(OSError):
                    os.close(life.descriptor)
                life.descriptor = -1
