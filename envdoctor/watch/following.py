"""A training, followed while it runs: which processes are there, how they end, and which calls do
not come back.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from envdoctor.model.training import Announced, Instances, LongCall, Process, Silent, Training
from envdoctor.run.supervise import guard
from envdoctor.run.supervise.idle_detection import Stillness
from envdoctor.run.supervise.machine import machine
from envdoctor.watch import tree
from envdoctor.watch.pages import JournalFile, Told, instances, read_pages

LOOK_EVERY = 1.0  # seconds between two looks at the pages and at the tree
NOTICED = 2.0  # seconds after which a call is looked at more closely
SILENT_AFTER = 2.0  # seconds that a Python has to report
GRACE = 5.0  # seconds for what ends by itself after the training
PAUSE = 0.05


@dataclass
class _Call:
    """A call that did not come back yet, since when it was seen."""

    began: int
    since: float
    stillness: Stillness = field(default_factory=Stillness)
    still: float = 0.0
    until: float = 0.0


@dataclass
class _Life:
    """One process that reports."""

    told: Announced
    descriptor: int = -1
    code: int | None = None
    ended: float | None = None


class Follower:
    """What is known of a training whose run's directory is `folder`."""

    def __init__(self, folder: Path, command: tuple[str, ...]) -> None:
        self.folder, self.command = folder, command
        self.began = time.monotonic()
        self.pid = 0
        self.told = Told()
        self.instances: tuple[Instances, ...] = ()
        self._journal = JournalFile(folder)
        self._lives: list[_Life] = []
        self._ends = select.poll()
        self._calls: dict[tuple[int, int, str], _Call] = {}
        self._silent: dict[int, Silent] = {}
        self._looked = 0.0

    def wait(self, seconds: float) -> None:
        """Wait until a process ends, or for so long."""
        for descriptor, _ in self._ends.poll(int(seconds * 1000)):
            for life in self._lives:
                if life.descriptor == descriptor:
                    self._over(life)

    def look(self) -> None:
        """Take in what was said; now and then, look at the pages and at the tree."""
        for process in self.told.take(self._journal.read()):
            self._admit(process)
        now = time.monotonic()
        if now - self._looked >= LOOK_EVERY:
            self._looked = now
            self._look_at_pages(now)
            self._look_for_silent()

    def _admit(self, process: Announced) -> None:
        life = _Life(process)
        for earlier in self._lives:  # another program in its place: os.execv
            if earlier.told.pid == process.pid and earlier.ended is None:
                self._over(earlier)
        self._lives.append(life)
        try:
            life.descriptor = os.pidfd_open(process.pid)
        except OSError:
            self._over(life)
            return
        self._ends.register(life.descriptor, select.POLLIN)

    def _over(self, life: _Life) -> None:
        """A process has ended: how, its parent may not have asked yet."""
        life.code = machine.exit_code(life.told.pid)
        life.ended = time.monotonic() - self.began
        if life.descriptor >= 0:
            self._ends.unregister(life.descriptor)
            os.close(life.descriptor)
            life.descriptor = -1

    def _look_at_pages(self, now: float) -> None:
        found = [one for counts in read_pages(self.folder) for one in instances(counts, self.told)]
        self.instances = tuple(found)
        alive = {life.told.pid for life in self._lives if life.ended is None}
        seen = set()
        for one in found:
            method = one.running
            if not method or one.pid not in alive:
                continue
            key, began = (one.pid, one.row, method), one.calls(method).began
            seen.add(key)
            call = self._calls.get(key)
            if call is None or call.began != began:
                call = self._calls[key] = _Call(began, now)
            call.until = now
            if now - call.since >= NOTICED:
                call.still = call.stillness.seconds([one.pid])
        for key in set(self._calls) - seen:
            if key[0] in alive:
                del self._calls[key]  # it came back

    def _look_for_silent(self) -> None:
        known = {life.told.pid for life in self._lives} | set(self._silent)
        for pid in tree.below(self.pid):
            if pid in known or not tree.is_python(pid) or tree.age(pid) < SILENT_AFTER:
                continue
            reason = tree.why_silent(pid, str(self.folder))
            self._silent[pid] = Silent(pid, machine.describe(pid), reason)

    @property
    def long_calls(self) -> tuple[LongCall, ...]:
        """Calls that had not come back when they were last looked at."""
        return tuple(
            LongCall(*key, seconds=call.until - call.since, still=call.still)
            for key, call in self._calls.items()
            if call.until - call.since >= NOTICED
        )

    @property
    def running(self) -> int:
        """How many processes that report are there."""
        return sum(life.ended is None for life in self._lives)

    def finish(self, code: int) -> Training:
        """The training, once its command has ended with a code."""
        seconds = time.monotonic() - self.began
        left = self._left()
        for process in self.told.take(self._journal.read()):
            self._admit(process)
        self.wait(0)
        pages = read_pages(self.folder)
        self.instances = tuple(one for page in pages for one in instances(page, self.told))
        unfollowed = {page.pid: page.unfollowed for page in pages}
        processes = tuple(_process(life, unfollowed) for life in self._lives)
        failed = tuple(sorted(self.told.failed))
        return Training(
            self.command,
            self.pid,
            code,
            seconds,
            tuple(
                Process(**{**vars(one), "code": code}) if one.pid == self.pid else one
                for one in processes
            ),
            self.instances,
            tuple(call for call in self.long_calls if self._is_running(call)),
            left,
            tuple(self._silent.values()),
            failed,
        )

    def _is_running(self, call: LongCall) -> bool:
        """Whether a call never came back, as the page has it after all."""
        return any(
            (one.pid, one.row) == (call.pid, call.row) and one.calls(call.method).running
            for one in self.instances
        )

    def _left(self) -> tuple[Process, ...]:
        """What runs on after the training, and does not end by itself in a moment."""
        deadline = time.monotonic() + GRACE
        while pids := self._there():
            if time.monotonic() >= deadline:
                break
            time.sleep(PAUSE)
        return tuple(Process(pid, command=machine.describe(pid)) for pid in sorted(pids))

    def _there(self) -> set[int]:
        named = guard.named_in(str(self.folder))
        named |= {life.told.pid for life in self._lives if life.ended is None}
        return {pid for pid in named - {os.getpid(), self.pid} if machine.is_running(pid)}

    def close(self) -> None:
        """Give all descriptors back."""
        self._journal.close()
        for life in self._lives:
            if life.descriptor >= 0:
                with suppress(OSError):
                    os.close(life.descriptor)
                life.descriptor = -1


def _process(life: _Life, unfollowed: dict[int, int]) -> Process:
    told = life.told
    return Process(
        told.pid,
        told.parent,
        " ".join(told.command),
        told.started,
        told.python,
        life.code,
        life.ended,
        unfollowed.get(told.pid, 0),
    )
