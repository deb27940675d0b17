"""The lines of a process that make vectorizers and start threads and processes, and what became of
those.

A vectorizer is known by the method in which it makes its instances or starts its workers, a thread
by `threading.Thread.start`, a process by that of multiprocessing. An object of the user's that
starts processes, and has a close(), may be a vectorizer: it is where these processes make
environments. Counts are in the page; what a line is of is journaled once.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import types
import weakref
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, List, Optional, Set, Tuple, Union

from envdoctor.model import page
from envdoctor.probe import loaded
from envdoctor.probe.live.counted import launching, passing, returning
from envdoctor.probe.live.episode_counts import EpisodeCounts
from envdoctor.probe.live.programs import Program, StartedPrograms
from envdoctor.probe.live.returned import WatchedResults
from envdoctor.probe.live.seeds import note_process
from envdoctor.probe.live.starters import is_running, place_outside, started, starter
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from threading import Thread


Place = Optional[Tuple[str, int, str]]
DELETER = "__del__"
CLOSE, STEP = "close", "step"
OWN = "own-vectorizer"
PROCESSES = "multiprocessing.process"
PROCESS = "processes"  # a line that starts processes, as the journal names it
PROGRAMS = "subprocess"
CHILDREN_MOST = 4096  # that are journaled, of a process that starts more and more
THREADS_MOST = 64  # whose ids are


class _Made(weakref.ref):  # type: ignore[type-arg]
    """A weak reference to a vectorizer: how many its line had made when it was stepped last, and
    when its `workers` were started, by their process ids.
    """

    __slots__ = ("closed", "key", "site", "used", "workers")
    closed: bool
    key: int
    site: _Site
    used: int
    workers: Dict[int, int]

    def runs(self) -> bool:
        """Return whether all of its workers run."""
        return bool(self.workers) and all(map(is_running, self.workers.items()))


class _Site:
    """One line: where its row begins, and what it made. Of that, what was `closed`, as long as all
    of its workers ran on each time; None once some had ended.
    """

    __slots__ = ("closed", "kind", "latest", "made", "row", "start", "started")

    def __init__(self, kind: str, row: int) -> None:
        self.kind, self.row = kind, row
        self.start = (page.ROWS - row) * page.WIDTH
        self.closed: Optional[List[_Made]] = []
        self.made: Dict[int, _Made] = {}
        self.latest = 0  # of those that were stepped, how many there were when one was last
        self.started: weakref.WeakSet[Union[BaseProcess, threading.Thread]] = (
            weakref.WeakSet()
        )  # threads or processes

    def forget_ended(self) -> None:
        """Let go of what was closed where not all of its workers run on."""
        if self.closed is not None and not all(each.runs() for each in self.closed):
            self.closed = None


class Sites:
    """Those of this process. `numbers` are those of its page, None where there is none; they are
    made where it is called with True. `where` is the user's line that runs now, `tell` journals,
    and `complain` says that something is not followed.
    """

    def __init__(
        self,
        numbers: Callable[..., Any],
        where: Callable[[], Place],
        tell: Callable[..., None],
        complain: Callable[[str], None],
    ) -> None:
        self._numbers, self._where = numbers, where
        self._tell, self._complain = tell, complain
        self._sites: Dict[Tuple[str, str, str, Place], _Site] = {}
        self._made: Dict[int, _Made] = {}
        self._exits = False
        self._followed: List[object] = []  # classes whose methods are, with their names
        # Where processes were made.
        self._places: weakref.WeakKeyDictionary[object, Place] = weakref.WeakKeyDictionary()
        self._children = self._threads = 0  # that were journaled
        self.programs = StartedPrograms(self._follow_close, tell)
        self.returned = WatchedResults(where, tell, complain)
        self.counts = EpisodeCounts(tell, complain)

    def forked(self) -> None:
        """In a child: what its parent made is not of its lines."""
        self._sites, self._made = {}, {}
        self._children = self._threads = 0
        self.programs.forked()

    def _follow_close(self, cls: type) -> bool:
        return self._follow(cls, CLOSE, self._closed)

    def launched(self, vectorizer: object, workers: Collection[int]) -> None:
        """A vectorizer has its instances, or these workers."""
        if self._known(vectorizer) is None:
            made = self._make("vectorizer", vectorizer, self._where() or _caller(type(vectorizer)))
            if made is not None:
                self._has(made, workers)

    def _known(self, vectorizer: object) -> Optional[_Made]:
        known = self._made.get(id(vectorizer))
        return known if known is not None and known() is vectorizer else None

    def _make(self, kind: str, vectorizer: object, place: Place) -> Optional[_Made]:
        """A vectorizer is made at a place. None where it cannot be followed."""
        numbers, cls = self._numbers(True), type(vectorizer)
        try:
            made = _Made(vectorizer, self._gone)
        except TypeError:  # __slots__ without __weakref__
            return None
        closes = self._follow(cls, CLOSE, self._closed)
        site = self._site(kind, cls, place) if closes or kind != OWN else None
        if site is None:
            return None
        made.key, made.site, made.closed, made.used = id(vectorizer), site, False, 0
        made.workers = {}
        earlier = [each for each in site.made.values() if 0 < each.used < site.latest]
        idle = sum(not each.closed and (kind != OWN or each.runs()) for each in earlier)
        self._made[made.key] = site.made[made.key] = made
        numbers[site.start + page.SITE_MADE] += 1
        numbers[site.start + page.SITE_IDLE] = max(numbers[site.start + page.SITE_IDLE], idle)
        site.forget_ended()
        numbers[site.start + page.SITE_RUNNING] = len(site.closed or ())
        return made

    def _has(self, made: _Made, workers: Collection[int]) -> None:
        """A vectorizer has started these workers."""
        if workers and not self._exits:  # the exit of multiprocessing, which ends them, is known
            self._exits = True
            atexit.register(self._exiting)
        made.workers.update((pid, started(pid)) for pid in workers)
        self._numbers()[made.site.start + page.SITE_WORKERS] += len(workers)

    def _exiting(self) -> None:
        """The process begins to exit: workers that have ended meanwhile did not run on."""
        for site in self._sites.values():
            site.forget_ended()
            if site.closed is None:
                self._numbers()[site.start + page.SITE_RUNNING] = 0

    def follow_processes(self) -> None:
        """Have processes of multiprocessing counted when they were started, and objects of the
        user's followed that start them.
        """
        kind = getattr(loaded.module(PROCESSES), "BaseProcess", None)
        if kind is None or (kind, "start") in self._followed:
            return
        self._followed.append((kind, "start"))
        made, start = loaded.own(kind, "__init__"), loaded.own(kind, "start")
        if type(made) is types.FunctionType:
            type.__setattr__(kind, "__init__", returning(made, self._process_made))
        if type(start) is types.FunctionType:
            end, nothing = self._started, lambda *_: None
            type.__setattr__(kind, "start", launching(start, nothing, end, nothing))

    def follow_programs(self) -> None:
        """Have the programs that subprocess starts journaled, with the user's lines."""
        kind = getattr(loaded.module(PROGRAMS), "Popen", None)
        if kind is None or (kind, "__init__") in self._followed:
            return
        self._followed.append((kind, "__init__"))
        made = loaded.own(kind, "__init__")
        if type(made) is types.FunctionType:
            type.__setattr__(kind, "__init__", returning(made, self._program_started))
        for name, call in ((DELETER, self.programs.freed), ("send_signal", self.programs.asked)):
            method = loaded.own(kind, name)
            if type(method) is types.FunctionType:
                type.__setattr__(kind, name, passing(method, self._quietly(call)))

    def _quietly(self, call: Callable[[Program], None]) -> Callable[[Program], None]:
        """A call of ours of which nothing reaches the user."""

        def made(program: Program) -> None:
            try:
                call(program)
            except Exception as error:
                self._complain(type(error).__name__)

        return made

    def _program_started(self, program: Program, _result: object) -> None:
        try:
            place = self._where()
            self._tell_child(program.pid, place)
            self.programs.started(program, place)
        except Exception as error:
            self._complain(type(error).__name__)

    def _tell_child(self, pid: int, place: Place) -> None:
        """Journal which line started a process: it may run on when the training is over."""
        if place is not None and self._children < CHILDREN_MOST:
            self._children += 1
            frame = frame_of(place)
            self._tell("child", workers=[pid], number=started(pid), frame=frame)

    def _process_made(self, process: object, _result: object) -> None:
        """A process is made: by the user's line, where its class has no constructor of its own."""
        try:
            base = loaded.module(PROCESSES).BaseProcess
            if type(process).__init__ is base.__init__:
                self._places[process] = self._where()
        except Exception as error:
            self._complain(type(error).__name__)

    def _started(self, _: object, process: object) -> None:
        """A process was started, or None could be."""
        if process is None:
            return
        try:
            self._count(process)
            self._by_object(process)
        except Exception as error:
            self._complain(type(error).__name__)

    def _by_object(self, process: Any) -> None:
        """Follow the object of the user's that started a process, if one did."""
        owner = starter(process)
        if owner is None:
            return
        made = self._known(owner) or self._make(OWN, owner, place_outside(owner))
        if made is None or made.site.kind != OWN:
            return
        self._follow(type(owner), STEP, self.stepped)
        self.returned.follow(type(owner))
        self._has(made, [process.pid])
        self._tell("started", row=made.site.row, workers=[process.pid])

    def _count(self, process: Any) -> None:
        """Multiprocessing has just looked which of the others ended."""
        numbers, cls = self._numbers(True), type(process)
        place = self._places.get(process) or self._where() or _caller(cls)
        self._tell_child(process.pid, place)
        site = self._site(PROCESS, cls, place)
        if site is not None:
            site.started.add(process)
            children = _children()
            alive = sum(each in children for each in list(site.started))
            numbers[site.start + page.SITE_MADE] += 1
            numbers[site.start + page.SITE_ALIVE] = alive

    @property
    def has_processes(self) -> bool:
        """True if this process started others."""
        return any(kind == PROCESS for kind, *_ in list(self._sites))

    def stepped(self, vectorizer: object) -> None:
        """A vectorizer steps."""
        made = self._made.get(id(vectorizer))
        if made is None:
            return
        site, numbers = made.site, self._numbers()
        if 0 < made.used < site.latest:
            numbers[site.start + page.SITE_REUSED] += 1
        if not made.used:  # trainers seed once they have their vectorizer
            note_process(numbers)
        made.used = site.latest = numbers[site.start + page.SITE_MADE]

    def made(self) -> int:
        """Return how many vectorizers were made in this process."""
        numbers = self._numbers()
        starts = [site.start for key, site in self._sites.items() if key[0] == "vectorizer"]
        return sum(numbers[start + page.SITE_MADE] for start in starts)

    def read(self) -> None:
        """Write into the page what has to be looked at: how many of each line are there."""
        numbers = self._numbers()
        numbers[page.AT_VECTORIZERS] = self.made()
        for (kind, *_), site in list(self._sites.items()):
            if kind == PROCESS:
                continue
            threads = sum(each.is_alive() for each in list(site.started))
            alive = threads if kind == "thread" else len(site.made)
            numbers[site.start + page.SITE_ALIVE] = alive

    def follow_threads(self) -> None:
        """Have threads counted when they start."""
        kind = threading.Thread
        original = loaded.own(kind, "start")
        if type(original) is types.FunctionType:
            begun = returning(original, self._thread_started)
            type.__setattr__(kind, "start", passing(begun, self._starting))

    def _thread_started(self, thread: threading.Thread, _result: None) -> None:
        """Journal the id that the kernel gave a thread: it shows later whether it has ended."""
        try:
            if self._threads >= THREADS_MOST:
                return
            site = next((each for each in self._sites.values() if thread in each.started), None)
            if site is not None:
                self._threads += 1
                self._tell("started", row=site.row, workers=[thread.native_id])
        except Exception as error:
            self._complain(type(error).__name__)

    def _starting(self, thread: Thread) -> None:
        try:
            numbers = self._numbers()
            if numbers is None:  # no environment was made yet
                return
            place = self._where() or _caller(type(thread))
            target = getattr(thread, "_target", None)
            site = self._site("thread", type(thread), place, target, thread)
            if site is not None:
                alive = sum(each.is_alive() for each in list(site.started))
                site.started.add(thread)
                numbers[site.start + page.SITE_MADE] += 1
                numbers[site.start + page.SITE_ALIVE] = alive + 1
        except Exception as error:
            self._complain(type(error).__name__)

    def _site(
        self, kind: str, cls: type, place: Place, target: Any = None, thread: object = None
    ) -> Optional[_Site]:
        name = "%s.%s" % (cls.__module__, cls.__qualname__)
        code = getattr(getattr(target, "__func__", target), "__code__", None)
        function = "%s.%s" % (target.__module__, target.__qualname__) if code is not None else ""
        key = (kind, name, function, place)
        site = self._sites.get(key)
        if site is None and len(self._sites) < page.SITES_MOST:
            number = len(self._sites) + 1
            site = self._sites[key] = _Site(kind, number)
            numbers = self._numbers()
            numbers[page.SITES] = number
            numbers[page.VECTORIZERS] += kind == "vectorizer"
            frame = frame_of(place)
            owner = starter(thread) if thread is not None else None
            by = "" if owner is None else type(owner).__name__
            self._tell(kind, row=number, type=name, where=function, frame=frame, by=by)
        return site

    def _follow(self, cls: type, name: str, before: Callable[[object], None]) -> bool:
        """Have calls of a method of a class seen. Whether they are."""
        owner = next((each for each in cls.__mro__ if name in vars(each)), None)
        method = vars(owner)[name] if owner is not None else None
        if (owner, name) in self._followed:
            return True
        if type(method) is not types.FunctionType:
            return False
        self._followed.append((owner, name))
        type.__setattr__(owner, name, passing(method, before))
        return True

    def _closed(self, vectorizer: object) -> None:
        """close() of a vectorizer is called; what its own __del__ calls is not the user's."""
        try:
            self.programs.closing(vectorizer)
            made = self._made.get(id(vectorizer))
            caller = loaded.caller(sys._getframe())
            is_deleted = caller is not None and caller.f_code.co_name == DELETER
            if made is not None and not made.closed and not is_deleted:
                made.closed = True
                if made.site.closed is not None:
                    made.site.closed.append(made)
                self._numbers()[made.site.start + page.SITE_CLOSED] += 1
        except Exception as error:
            self._complain(type(error).__name__)

    def _gone(self, made: _Made) -> None:
        try:
            key, site = made.key, made.site
            if self._made.get(key) is made:
                del self._made[key], site.made[key]
                self._numbers()[site.start + page.SITE_GONE] += 1
        except Exception as error:
            self._complain(type(error).__name__)


def _caller(cls: type) -> Place:
    """The innermost line that is not of the package of a class, where no line is the user's."""
    own = (str(cls.__module__).partition(".")[0], "envdoctor", "threading")
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None:
        code, module = frame.f_code, loaded.module_of(frame)
        if module.partition(".")[0] not in own and not code.co_filename.startswith("<"):
            return os.path.abspath(code.co_filename), frame.f_lineno, code.co_name
        frame = frame.f_back
    return None


def started_workers() -> Set[int]:
    """The processes that multiprocessing has started here."""
    return {process.pid for process in list(_children()) if process.pid is not None}


def _children() -> Collection[BaseProcess]:
    return getattr(loaded.module(PROCESSES), "_children", ())
