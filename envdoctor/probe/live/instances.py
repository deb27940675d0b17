"""Instances of environments, noticed in the `__new__` of a framework's base class. The concrete
class is counted from its first instance on.
"""

from __future__ import annotations

import _thread
import functools
import itertools
import os
import sys
import types
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Set, Tuple

from envdoctor.model import page
from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live import lost_threads
from envdoctor.probe.live.builtins_replaced import FILE
from envdoctor.probe.live.constructed import look_at_constructor
from envdoctor.probe.live.counted import (
    ResetCalls,
    Rows,
    counted,
    is_counted,
    is_noticing,
    is_within,
    replace_method,
    returning,
)
from envdoctor.probe.live.default_seeds import generators_before, look_at_default, look_at_reset
from envdoctor.probe.live.drafts import is_draft
from envdoctor.probe.live.draws import look_at_draws
from envdoctor.probe.live.first_episodes import look_at_episode
from envdoctor.probe.live.followed_modules import follow_module
from envdoctor.probe.live.kept_instances import ClosedInstances
from envdoctor.probe.live.memory import Page
from envdoctor.probe.live.messages import answer
from envdoctor.probe.live.meters import collector_off, held, read
from envdoctor.probe.live.resets import look_again
from envdoctor.probe.live.rows import MAKE, CountedClass, InstanceRow
from envdoctor.probe.live.seeds import CONTENTS, arguments, before, follow, note, tell_seeds
from envdoctor.probe.live.settings import look_at_settings
from envdoctor.probe.live.sites import Sites, started_workers
from envdoctor.probe.live.steps import look_at as look_at_steps
from envdoctor.probe.live.vectorizer_code import vectorizer_of_code
from envdoctor.probe.live.visited import look_at_visit
from envdoctor.probe.ownership import Ownership, frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

MAX_FRAMES = 200  # of a stack that are looked at
COPYING = ("copy", "copyreg")
MADE, RESETS, STEPS = "make", "reset", "step"  # verbs: of the first call, and of those that count
LOOKING = "envdoctor.probe.live.looking"
RAISED = "envdoctor.probe.live.raised"
OPENINGS = "envdoctor.probe.live.openings"
CRASHES = "envdoctor.probe.live.crashes"


class WatchedInstances:
    """The instances of this process."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.vectorizers: Dict[str, object] = {}
        self.wrappers: Dict[str, bool] = {}
        self._used = itertools.count(1)
        self._page: Optional[Page] = None
        self.name = ""
        self._own: List[int] = [0, 0, 0]  # what looks left of ours: code, mostly
        self.trainers: Dict[str, bool] = {}
        self._launches: List[str] = []  # of vectorizers, those that are under way
        self._launched = itertools.count(1)
        self._rows: Dict[int, InstanceRow] = {}
        self._kept = ClosedInstances()
        self._classes: Dict[int, CountedClass] = {}
        self._sites: Dict[object, int] = {}
        self._counted_before: Dict[Tuple[int, str], Rows] = {}
        self._ownership: Optional[Ownership] = None
        self._users: Dict[str, bool] = {}  # by file
        self.sites = Sites(self.numbers, lambda: self.where()[0], self._tell_site, hook.complain)
        self._over = False  # the interpreter takes itself apart
        self._creating = _thread.RLock()  # the collector may run a finalizer that makes an instance
        hook.after_fork.append(self.forked)
        hook.at_end.append(self.let_go)
        hook.waiting = functools.partial(answer, self)
        lost_threads.follow(hook)

    @property
    def page(self) -> Page:
        """The page, made for the first instance."""
        if self._page is None:
            with self._creating:
                self._page = self._page or Page(self._named())
        return self._page

    def numbers(self, new: bool = False) -> object:
        """The numbers of the page; None where there is none yet, and none is wanted."""
        return self.page.numbers if new or self._page is not None else None

    def _tell_site(self, what: str, **keys: object) -> None:
        self.tell(what, page=self.name, **keys)

    def _named(self) -> str:
        """The path of a new page."""
        self.name = "%d.%s.page" % (os.getpid(), os.urandom(4).hex())
        return os.path.join(self.hook.folder, self.name)

    def forked(self) -> None:
        """In a child: a page of its own. What it inherited was not created in it."""
        self._creating = _thread.RLock()  # a thread that is not here may hold that of the parent
        if self._page is None or not self._classes:  # the child makes one where it needs it
            self._page = None
            self.sites.forked()
            return
        numbers = self._page.numbers
        used = numbers[page.USED]
        starts = [(page.FIRST + row) * page.WIDTH for row in range(used)]
        there = [
            numbers[start + page.INHERITED] + numbers[start + page.INSTANCES] for start in starts
        ]
        parents = self.name
        self._page.renew(self._named())
        numbers[page.USED] = used
        for start, number in zip(starts, there):
            numbers[start + page.INHERITED] = number
        self.sites.forked()
        for row in self._rows.values():
            # in a parent; what becomes of it here is not the question
            row.closed, row.open = True, False
        self._kept.forget()
        self.tell("page", page=self.name, where=parents)

    def created(
        self,
        cls: object,
        instance: object,
        methods: Dict[str, str],
        base: type,
        unnamed: Tuple[object, ...] = (),
        named: Optional[Dict[str, object]] = None,
        rank: int = 0,
    ) -> None:
        """An instance of `cls` was made, which is below `base`, of these arguments. Without a
        framework's base, `rank` says how it was recognised. Threads may make several at once.
        """
        with self._creating:
            self._count(cls, instance, methods, base, unnamed, named or {}, rank)

    def _count(
        self,
        cls: Any,
        instance: object,
        methods: Dict[str, str],
        base: type,
        unnamed: Tuple[object, ...],
        named: Dict[str, object],
        rank: int,
    ) -> None:
        known = self._classes.get(id(cls))
        if known is None or known.cls() is not cls:
            follow(cls, base)
            known = self._classes[id(cls)] = CountedClass(
                cls, self._wrapped(cls, methods), base, methods, rank
            )
        elif not known.counts():
            again = self._wrapped(cls, methods, known.counted)
            known = self._classes[id(cls)] = CountedClass(cls, again, base, methods, rank)
        if known.counted is None or self.follows(instance) or is_draft():
            return
        numbers = self.page.numbers
        numbers[page.MADE] += 1
        try:
            row: Any = InstanceRow(instance, self._gone)
        except TypeError:  # __slots__ without __weakref__
            numbers[page.UNFOLLOWED] += 1
            return
        start = self._place(cls, known)
        if start < 0:
            numbers[page.UNFOLLOWED] += 1
            return
        row.key, row.start, row.counted = id(instance), start, known.counted
        row.closed, row.closed_at, row.open = False, None, True
        self._kept.made(known.counted)
        numbers[start + page.INSTANCES] += 1
        numbers[start + page.ARGUMENTS] = arguments(unnamed, named)
        for verb, wrapper in known.counted.items():
            wrapper.rows[row.key] = start + page.METHODS[verb]
        self._rows[row.key] = row
        if numbers[start + page.INSTANCES] == 1:
            look_at_constructor(self, start, row.key, known.counted)
            look_at_default(instance, unnamed, named)

    def returned(self, methods: Dict[str, str]) -> object:
        """Return what follows an environment that a function of its library returned. Nothing of
        ours reaches the user.
        """

        def follow(_source: object, instance: object) -> None:
            try:
                self.created(type(instance), instance, methods, object)
            except Exception as error:
                self.hook.complain(type(error).__name__)

        return follow

    def _gone(self, row: InstanceRow) -> None:
        """The last reference to an instance went. Nothing of ours reaches the user."""
        try:
            self._freed(row)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def _freed(self, row: Any) -> None:
        if self._over:
            return
        key = row.key
        self._kept.opened(row)
        for wrapper in row.counted.values():
            wrapper.rows.pop(key, None)
        if self._rows.get(key) is row:
            del self._rows[key]
        numbers = self.page.numbers
        numbers[row.start + page.GONE] += 1
        if not row.closed and not self.hook.ended:
            numbers[row.start + page.LOST] += 1

    def _closing(self, key: int) -> None:
        """close() of an instance is called: one that its own reset() calls is part of that. Nothing
        of ours reaches the user.
        """
        try:
            row, numbers = self._rows[key], self.page.numbers
            resets = numbers[row.start + page.RESET] - numbers[row.start + page.RESET + 1]
            if not (resets > 0 and is_within(row(), RESETS)):
                self._closed(row)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def _closed(self, row: InstanceRow) -> None:
        if self._over:
            return
        if not row.closed:
            self.page.numbers[row.start + page.CLOSED] += 1
        elif not row.open:
            self.page.numbers[row.start + page.AGAIN] += 1
        if row.open:
            row.closed_at = self.where()[0]
            self._kept.closed(row)
        row.closed, row.open = True, False

    def at(self, start: int) -> List[InstanceRow]:
        """The instances whose row begins there."""
        return [row for row in self.rows() if row.start == start]

    def rows(self) -> List[InstanceRow]:
        """The instances that there are."""
        return list(self._rows.values())

    def _reopening(self, key: int) -> None:
        """A reset() begins where an instance was closed. Nothing of ours reaches the user."""
        try:
            if key in self._rows:
                self._kept.opened(self._rows[key])
                self._rows[key].open = True
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def _beginning(self, row: int, instance: object) -> object:
        """A reset() begins. Nothing of ours reaches the user."""
        try:
            return before(self.page.numbers, row, instance), generators_before(instance)
        except Exception as error:
            self.hook.complain(type(error).__name__)
            return None

    def _begun(
        self, row: int, seed: object, returned: object, instance: object, earlier: Any
    ) -> None:
        """A reset() came back. Nothing of ours reaches the user."""
        try:
            numbers, (states, generators) = self.page.numbers, earlier or (None, None)
            note(numbers, row, seed, returned, instance, states)
            tell_seeds(self, row, seed, instance)
            look_at_reset(self, row, instance, generators)
            look_at_episode(self, numbers, row, seed)
            if not numbers[row + page.RESET] & (numbers[row + page.RESET] - 1):
                known = self._rows.get(id(instance))
                look_at_steps(self, row, id(instance), known and known.counted.get(STEPS))
                look_at_settings(self, row, instance)
                look_at_draws(self, numbers, row, instance)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def launch(self) -> Any:
        """A vectorizer makes its instances or workers. Nothing of ours reaches the user."""
        try:
            self._launches.append("%d.%d" % (os.getpid(), next(self._launched)))
            return started_workers()
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def launched(self, before: Any, vectorizer: object) -> None:
        """It has them: journal its workers. Nothing of ours reaches the user."""
        try:
            group = self._launches.pop()
            workers = sorted(started_workers() - before)
            self.tell("launch", group=group, workers=workers)
            if vectorizer is not None:
                self.sites.launched(vectorizer, workers)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def launch_raised(self, kind: object, launch_arguments: object, error: BaseException) -> None:
        """A vectorizer cannot be made. Nothing of ours reaches the user."""
        try:
            self.hook.load(RAISED).ends_launch(self, kind, launch_arguments, error)
        except Exception as ours:
            self.hook.complain(type(ours).__name__)

    def call_raised(self, at: int, error: BaseException) -> None:
        """A call of an instance raised. Nothing of ours reaches the user."""
        try:
            self.hook.load(RAISED).ends_call(self, at, error)
        except Exception as ours:
            self.hook.complain(type(ours).__name__)

    def due(self) -> None:
        """See to what the doctor asks for. Nothing of ours reaches the user."""
        try:
            self.see_to(self.page.numbers)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def see_to(self, numbers: memoryview) -> None:
        """Take the reading or the look that is due."""
        due, numbers[page.DUE] = numbers[page.DUE], 0
        self.sites.read()
        if due != page.LOOK:
            read(numbers, self._own)
            return
        with collector_off():  # what is made for a look is gone after it: no collection for that
            try:
                before = held()
                self.hook.load(LOOKING).look(self)
                self._own = [own + now - then for own, now, then in zip(self._own, held(), before)]
            finally:
                read(numbers, self._own)

    def beat(self, vectorizer: object) -> None:
        """A vectorizer steps in this process."""
        try:
            self.sites.stepped(vectorizer)
            numbers = self.page.numbers
            if numbers[page.DUE]:
                self.see_to(numbers)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def follows(self, obj: object) -> bool:
        """Return whether an object is an instance that is followed."""
        row = self._rows.get(id(obj))
        return row is not None and row() is obj

    def wraps(self, kind: type) -> bool:
        """Return whether a class is one that wraps environments."""
        names = ("%s.%s" % (each.__module__, each.__qualname__) for each in kind.__mro__)
        return any(name in self.wrappers for name in names)

    def is_kind(self, obj: object) -> bool:
        """Return whether an object is a class that instances were made of."""
        return any(known.cls() is obj for known in list(self._classes.values()))

    def let_go(self) -> None:
        """Hold no function of the user any more: what a script's module has is freed at the exit
        as it is without us. What is closed by that is not counted.
        """
        try:
            for keys in self._kept.events(self.rows(), self.hook.load):
                self.tell("kept-closed", page=self.name, **keys)
        except Exception as error:
            self.hook.complain(type(error).__name__)
        self._over = True
        self.sites.programs.let_go()
        for known in self._classes.values():
            known.methods.clear()
            (known.counted or {}).clear()  # rows of instances have it, too

    def modules(self) -> Set[str]:
        """The modules of the classes that instances were made of."""
        classes = [known.cls() for known in list(self._classes.values()) if known.counted]
        return {str(cls.__module__) for cls in classes if cls is not None}

    def _wrapped(
        self, cls: Any, methods: Dict[str, str], before: Optional[Dict[str, object]] = None
    ) -> Optional[Dict[str, object]]:
        """Have a class count: the methods that do, by verb. None where it wraps another
        environment, which is followed itself. `before` are those that counted until now.
        """
        if self.wraps(cls):
            return None
        every = ((MADE, MAKE), *methods.items())
        wrappers = {
            verb: self._counted(cls, verb, name, (before or {}).get(verb)) for verb, name in every
        }
        return {verb: wrapper for verb, wrapper in wrappers.items() if wrapper is not None}

    def _counted(self, cls: type, verb: str, name: str, before: Any = None) -> Optional[Any]:
        """The method that `cls` has by a name, counted in the class that defines it. Where another
        one took the place of that which counted `before`, it calls that one, which goes on.
        """
        owner = next((each for each in cls.__mro__ if name in vars(each)), None)
        method = vars(owner)[name] if owner is not None else None
        noticed = method if is_noticing(method) else None
        method = noticed.inner if noticed is not None else method
        if is_counted(method):
            return method
        if type(method) is not types.FunctionType:
            return None
        if is_counted(before) and method.__code__ != before.__wrapped__.__code__:
            return before
        closing = self._closing if verb == "close" else None
        rows = self._counted_before.setdefault((id(owner), name), Rows())
        again = functools.partial(look_again, self, self.page.numbers)
        visit = functools.partial(look_at_visit, self, self.page.numbers)
        around = ResetCalls(self._beginning, self._begun, self._reopening, again, visit)
        calls = (self.due, self.call_raised, closing, rows, around if verb == "reset" else None)
        wrapper = counted(method, verb, self.page.numbers, *calls)
        if noticed is not None:
            noticed.inner = wrapper
        else:
            type.__setattr__(owner, name, wrapper)
        return wrapper

    def _place(self, cls: type, known: CountedClass) -> int:
        """Return where the row of a new instance begins; a negative number where all are in use."""
        numbers, place, vectorizer, copied = self.page.numbers, *self.where()
        site = (id(cls), place, vectorizer)
        crowded = numbers[page.USED] >= page.SINGLES
        if crowded and site in self._sites:
            return self._sites[site]
        row = next(self._used)
        if row > page.ROWS - page.FIRST:
            return -1
        start = (page.FIRST + row - 1) * page.WIDTH
        numbers[page.USED] = row
        if crowded:
            self._sites[site] = start
        name = "%s.%s" % (cls.__module__, cls.__qualname__)
        keys = {"page": self.name, "row": row, "type": name, "by": vectorizer, "copied": copied}
        keys.update(rank=known.rank, takes_seed=known.takes_seed)
        frame = frame_of(place)
        group = self._launches[-1] if self._launches else ""
        self.tell("instance", frame=frame, closes=known.closes, group=group, **keys)
        return start

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""
        self.hook.write(encoded("watched", dict(keys, what=what)))

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's: some are looked at with each reset()."""
        if file not in self._users:
            self._ownership = self._ownership or Ownership()
            self._users[file] = self._ownership.is_users(file)
        return self._users[file]

    def where(self) -> Tuple[Optional[Tuple[str, int, str]], str, bool]:
        """The user's line that makes an instance, the vectorizer that does, and whether it is a
        copy of another one.
        """
        frame: Optional[types.FrameType] = sys._getframe(1)
        user, vectorizer, copied = None, "", False
        for _ in range(MAX_FRAMES):
            if frame is None or (user and vectorizer):
                break
            module = loaded.module_of(frame)
            copied = copied or (module in COPYING and user is None)
            vectorizer = vectorizer or vectorizer_of_code(self.vectorizers.get(module, ""), frame)
            code = frame.f_code
            if user is None and self.is_users(code.co_filename):
                user = (os.path.abspath(code.co_filename), frame.f_lineno, code.co_name)
            frame = frame.f_back
        return user, vectorizer, copied


_known: List[WatchedInstances] = []


def watched_instances(hook: Hook) -> WatchedInstances:
    """The instances of this process, with what is followed beside them."""
    if not _known:
        _known.append(WatchedInstances(hook))
        _known[0].sites.follow_threads()
        hook.load(RAISED).follow_printed(hook)
        hook.load(OPENINGS).follow(hook)
        hook.load(CRASHES).follow(hook)
    _known[0].sites.follow_processes()
    _known[0].sites.follow_programs()
    return _known[0]


def take(hook: Hook, hooks: types.ModuleType, module: types.ModuleType) -> None:
    """Follow new instances of the classes that `hooks` name in a module of their framework."""
    watched = watched_instances(hook)
    watched.trainers.update(dict.fromkeys(hooks.TRAINERS, True))
    watched.vectorizers.update(hooks.VECTORIZERS)
    watched.wrappers.update(dict.fromkeys(hooks.WRAPPERS, True))
    CONTENTS.update(getattr(hooks, "CONTENTS", {}))
    follow_module(watched, hooks, module)
    for name in getattr(hooks, "NATIVE", {}).get(module.__name__, ()):
        _follow(watched, getattr(module, name), hooks.NATIVE_METHODS)
    for name in getattr(hooks, "MAKES", {}).get(module.__name__, ()):
        replace_method(module, name, returning, watched.returned(hooks.NATIVE_METHODS))
    if module.__name__ != hooks.MODULE:
        return
    for name in hooks.BASES:
        _follow(watched, getattr(module, name), hooks.METHODS)
    watched.tell("armed", module=module.__name__)


def _follow(instances: WatchedInstances, base: object, methods: Dict[str, str]) -> None:
    """Follow the new instances of what is below a base class."""
    type.__setattr__(base, "__new__", _seeing(base, instances, methods))


def _seeing(base: Any, instances: WatchedInstances, methods: Dict[str, str]) -> object:
    """A `__new__` that notices an instance. It is of a type of C's, so that inspect.signature()
    passes it over, as it does with that of `object`.
    """
    own = loaded.own(base, "__new__")
    own = getattr(own, "__func__", own)

    def new(cls: Any, *args: object, **kwargs: object) -> object:
        make = own or super(base, cls).__new__
        plain = make is object.__new__
        if plain and (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError("%s() takes no arguments" % cls.__name__)
        instance = make(cls) if plain else make(cls, *args, **kwargs)
        try:
            if type(instance) is cls:
                instances.created(cls, instance, methods, base, args, kwargs)
        except Exception as error:
            instances.hook.complain(type(error).__name__)
        return instance

    new.__code__ = new.__code__.replace(co_filename=FILE)
    return functools.partial(new).__call__
