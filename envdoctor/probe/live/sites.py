"""The lines of a process that make vectorizers and start threads and processes, and what became of
those.

A vectorizer is known by the method in which it makes its instances or starts its workers, a thread
by `threading.Thread.start`, a process by that of multiprocessing. Counts are in the page; what a
line is of is journaled once.
"""

from __future__ import annotations

import os
import sys
import threading
import types
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

from envdoctor.model import page
from envdoctor.probe import loaded
from envdoctor.probe.live.counted import passing, returning

Place = Optional[Tuple[str, int, str]]
DELETER = "__del__"
CLOSE = "close"
PROCESSES = "multiprocessing.process"
PROCESS = "started"  # a line that starts processes, as the journal names it


class _Made(weakref.ref):  # type: ignore[type-arg]
    """A weak reference to a vectorizer: how many its line had made when it was stepped last."""

    __slots__ = ("closed", "key", "site", "used")
    closed: bool
    key: int
    site: Any
    used: int


class _Site:
    """One line: where its row begins, and what it made."""

    __slots__ = ("latest", "made", "start", "started")

    def __init__(self, start: int) -> None:
        self.start = start
        self.made: Dict[int, Any] = {}
        self.latest = 0  # of those that were stepped, how many there were when one was last
        self.started: Any = weakref.WeakSet()  # threads or processes


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
        self._sites: Dict[Any, _Site] = {}
        self._made: Dict[int, Any] = {}
        self._closing: List[Any] = []  # classes whose close() is followed
        self._places: Any = weakref.WeakKeyDictionary()  # where processes were made

    def forked(self) -> None:
        """In a child: what its parent made is not of its lines."""
        self._sites, self._made = {}, {}

    def launched(self, vectorizer: Any, workers: int) -> None:
        """A vectorizer has its instances, or so many workers."""
        known = self._made.get(id(vectorizer))
        if known is not None and known() is vectorizer:
            return
        numbers = self._numbers(True)
        try:
            made: Any = _Made(vectorizer, self._gone)
        except TypeError:  # __slots__ without __weakref__
            return
        site = self._site("vectorizer", type(vectorizer))
        if site is None:
            return
        self._follow_close(type(vectorizer))
        made.key, made.site, made.closed, made.used = id(vectorizer), site, False, 0
        self._made[made.key] = site.made[made.key] = made
        numbers[site.start + page.SITE_MADE] += 1
        numbers[site.start + page.SITE_WORKERS] += workers
        idle = sum(0 < one.used < site.latest and not one.closed for one in site.made.values())
        place = site.start + page.SITE_IDLE
        numbers[place] = max(numbers[place], idle)

    def stepped(self, vectorizer: Any) -> None:
        """A vectorizer steps."""
        made = self._made.get(id(vectorizer))
        if made is None:
            return
        site, numbers = made.site, self._numbers()
        if 0 < made.used < site.latest:
            numbers[site.start + page.SITE_REUSED] += 1
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
            threads = sum(one.is_alive() for one in list(site.started))
            alive = threads if kind == "thread" else len(site.made)
            numbers[site.start + page.SITE_ALIVE] = alive

    def follow_threads(self) -> None:
        """Have threads counted when they start."""
        kind = threading.Thread
        original = loaded.own(kind, "start")
        if type(original) is types.FunctionType:
            type.__setattr__(kind, "start", passing(original, self._starting))

    def _starting(self, thread: Any) -> None:
        try:
            numbers = self._numbers()
            if numbers is None:  # no environment was made yet
                return
            site = self._site("thread", type(thread), getattr(thread, "_target", None))
            if site is not None:
                alive = sum(one.is_alive() for one in list(site.started))
                site.started.add(thread)
                numbers[site.start + page.SITE_MADE] += 1
                numbers[site.start + page.SITE_ALIVE] = alive + 1
        except Exception as error:
            self._complain(type(error).__name__)

    def follow_processes(self) -> None:
        """Have processes of multiprocessing counted when they were started."""
        kind: Any = getattr(loaded.module(PROCESSES), "BaseProcess", None)
        for name, after in (("__init__", self._process_made), ("start", self._process_started)):
            original = loaded.own(kind, name)
            if type(original) is types.FunctionType:
                type.__setattr__(kind, name, returning(original, after))

    def _process_made(self, process: Any, _result: Any) -> None:
        """A process is made: by the user's line, where its class has no constructor of its own."""
        try:
            base: Any = loaded.module(PROCESSES).BaseProcess
            if type(process).__init__ is base.__init__:
                self._places[process] = self._where()
        except Exception as error:
            self._complain(type(error).__name__)

    def _process_started(self, process: Any, _result: Any) -> None:
        """A process was started: multiprocessing has just looked which of the others ended."""
        try:
            numbers = self._numbers(True)
            place = self._places.get(process)
            site = self._site(PROCESS, type(process), place=place)
            if site is not None:
                site.started.add(process)
                children = getattr(loaded.module(PROCESSES), "_children", ())
                alive = sum(one in children for one in list(site.started))
                numbers[site.start + page.SITE_MADE] += 1
                numbers[site.start + page.SITE_ALIVE] = alive
        except Exception as error:
            self._complain(type(error).__name__)

    def _site(
        self, kind: str, cls: Any, target: Any = None, place: Place = None
    ) -> Optional[_Site]:
        name = "%s.%s" % (cls.__module__, cls.__qualname__)
        code = getattr(getattr(target, "__func__", target), "__code__", None)
        function = "%s.%s" % (target.__module__, target.__qualname__) if code is not None else ""
        place = place or self._where() or _caller(cls)
        key = (kind, name, function, place)
        site = self._sites.get(key)
        if site is None and len(self._sites) < page.SITES_MOST:
            number = len(self._sites) + 1
            site = self._sites[key] = _Site((page.ROWS - number) * page.WIDTH)
            numbers = self._numbers()
            numbers[page.SITES] = number
            numbers[page.VECTORIZERS] += kind == "vectorizer"
            frame = place and dict(zip(("file", "line", "function"), place))
            self._tell(kind, row=number, type=name, where=function, frame=frame)
        return site

    def _follow_close(self, cls: Any) -> None:
        owner = next((one for one in cls.__mro__ if CLOSE in vars(one)), None)
        method = vars(owner)[CLOSE] if owner is not None else None
        if owner in self._closing or type(method) is not types.FunctionType:
            return
        self._closing.append(owner)
        type.__setattr__(owner, CLOSE, passing(method, self._closed))

    def _closed(self, vectorizer: Any) -> None:
        """close() of a vectorizer is called; what its own __del__ calls is not the user's."""
        try:
            made = self._made.get(id(vectorizer))
            caller = sys._getframe(2).f_code.co_name
            if made is not None and not made.closed and caller != DELETER:
                made.closed = True
                self._numbers()[made.site.start + page.SITE_CLOSED] += 1
        except Exception as error:
            self._complain(type(error).__name__)

    def _gone(self, made: Any) -> None:
        try:
            key, site = made.key, made.site
            if self._made.get(key) is made:
                del self._made[key], site.made[key]
                self._numbers()[site.start + page.SITE_GONE] += 1
        except Exception as error:
            self._complain(type(error).__name__)


def _caller(cls: Any) -> Place:
    """The innermost line that is not of the package of a class, where no line is the user's."""
    own = (str(cls.__module__).partition(".")[0], "envdoctor", "threading")
    frame: Any = sys._getframe(1)
    while frame is not None:
        code, module = frame.f_code, loaded.module_of(frame)
        if module.partition(".")[0] not in own and not code.co_filename.startswith("<"):
            return os.path.abspath(code.co_filename), frame.f_lineno, code.co_name
        frame = frame.f_back
    return None
