"""Births of environments, seen through the `__new__` of a framework's base class. The concrete
class is counted from its first birth on.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
import types
import weakref
from typing import Any, Dict, List, Optional, Tuple

from envdoctor.model import page
from envdoctor.probe.journal import encoded
from envdoctor.probe.live.counted import FILE, counted, is_counted
from envdoctor.probe.live.memory import Page
from envdoctor.probe.ownership import Ownership

MAX_FRAMES = 200  # of a stack that are looked at
COPYING = ("copy", "copyreg")


class _Row(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that knows the row of its instance, and the methods that count its calls."""

    __slots__ = ("closed", "counted", "key", "start")
    key: int
    start: int
    closed: bool
    counted: Dict[str, Any]


class Births:
    """The instances of this process."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook
        self.vectorizers: Dict[str, str] = {}
        self.wrappers: Dict[str, bool] = {}
        self._used = itertools.count(1)
        self._page: Optional[Page] = None
        self._name = ""
        self._rows: Dict[int, _Row] = {}
        self._classes: Dict[int, _Class] = {}
        self._sites: Dict[Any, int] = {}
        self._ownership: Optional[Ownership] = None
        hook.after_fork.append(self.forked)

    @property
    def page(self) -> Page:
        """The page, made for the first birth."""
        if self._page is None:
            self._page = Page(self._named())
        return self._page

    def _named(self) -> str:
        """The path of a new page."""
        self._name = "%d.%s.page" % (os.getpid(), os.urandom(4).hex())
        return os.path.join(self.hook.folder, self._name)

    def forked(self) -> None:
        """In a child: a page of its own. What it inherited was not born in it."""
        if self._page is None:
            return
        numbers = self._page.numbers
        used = numbers[page.USED]
        starts = [(page.FIRST + row) * page.WIDTH for row in range(used)]
        there = [
            numbers[start + page.INHERITED] + numbers[start + page.INSTANCES] for start in starts
        ]
        parents = self._name
        self._page.renew(self._named())
        numbers[page.USED] = used
        for start, number in zip(starts, there):
            numbers[start + page.INHERITED] = number
        for row in self._rows.values():
            row.closed = True  # in a parent; what becomes of it here is not the question
        self.tell("page", page=self._name, where=parents)

    def born(self, cls: Any, instance: Any, methods: Dict[str, str]) -> None:
        """An instance of `cls` was made."""
        known = self._classes.get(id(cls))
        if known is None or known.cls() is not cls:
            known = self._classes[id(cls)] = _Class(cls, self._wrapped(cls, methods))
        if known.counted is None:
            return
        numbers = self.page.numbers
        numbers[page.MADE] += 1
        try:
            row: Any = _Row(instance, self._gone)
        except TypeError:  # __slots__ without __weakref__
            numbers[page.UNFOLLOWED] += 1
            return
        start = self._place(cls)
        if start < 0:
            numbers[page.UNFOLLOWED] += 1
            return
        row.key, row.start, row.closed, row.counted = id(instance), start, False, known.counted
        numbers[start + page.INSTANCES] += 1
        for verb, wrapper in known.counted.items():
            wrapper.rows[row.key] = start + page.METHODS[verb]
        self._rows[row.key] = row

    def _gone(self, row: Any) -> None:
        """The last reference to an instance went. Nothing of ours reaches the user."""
        try:
            self._freed(row)
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def _freed(self, row: Any) -> None:
        key = row.key
        for wrapper in row.counted.values():
            wrapper.rows.pop(key, None)
        if self._rows.get(key) is row:
            del self._rows[key]
        numbers = self.page.numbers
        numbers[row.start + page.GONE] += 1
        if not row.closed:
            numbers[row.start + page.LOST] += 1

    def _closing(self, key: int) -> None:
        """close() of an instance is called, from outside of its class. Nothing of ours reaches the
        user.
        """
        try:
            self._closed(self._rows[key])
        except Exception as error:
            self.hook.complain(type(error).__name__)

    def _closed(self, row: Any) -> None:
        self.page.numbers[row.start + (page.AGAIN if row.closed else page.CLOSED)] += 1
        row.closed = True

    def _wrapped(self, cls: Any, methods: Dict[str, str]) -> Optional[Dict[str, Any]]:
        """Have a class count: the methods that do, by verb. None where it wraps another
        environment, which is followed itself.
        """
        names = ("%s.%s" % (one.__module__, one.__qualname__) for one in cls.__mro__)
        if any(name in self.wrappers for name in names):
            return None
        every = (("make", "__init__"), *methods.items())
        found = {verb: self._counted(cls, verb, name) for verb, name in every}
        return {verb: wrapper for verb, wrapper in found.items() if wrapper is not None}

    def _counted(self, cls: Any, verb: str, name: str) -> Optional[Any]:
        """The method that `cls` has by a name, counted in the class that defines it."""
        owner = next((one for one in cls.__mro__ if name in vars(one)), None)
        method = vars(owner)[name] if owner is not None else None
        if is_counted(method):
            return method
        if type(method) is not types.FunctionType:
            return None
        closing = self._closing if verb == "close" else None
        wrapper = counted(method, verb, self.page.numbers, closing)
        type.__setattr__(owner, name, wrapper)
        return wrapper

    def _place(self, cls: Any) -> int:
        """Where the row of a new instance begins; a negative number where all rows are taken."""
        numbers, place, vectorizer, copied = self.page.numbers, *self._where()
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
        told = {"page": self._name, "row": row, "type": name, "by": vectorizer, "copied": copied}
        frame = place and dict(zip(("file", "line", "function"), place))
        self.tell("instance", frame=frame, **told)
        return start

    def tell(self, what: str, **keys: Any) -> None:
        """Journal something."""
        self.hook.write(encoded("watched", dict(keys, what=what)))

    def _where(self) -> Tuple[Optional[Tuple[str, int, str]], str, bool]:
        """The user's line that makes an instance, the vectorizer that does, and whether it is a
        copy of another one.
        """
        self._ownership = self._ownership or Ownership()
        frame: Any = sys._getframe(1)
        user, vectorizer, copied = None, "", False
        for _ in range(MAX_FRAMES):
            if frame is None or (user and vectorizer):
                break
            module = str(frame.f_globals.get("__name__"))
            copied = copied or (module in COPYING and user is None)
            vectorizer = vectorizer or self.vectorizers.get(module, "")
            code = frame.f_code
            if user is None and self._ownership.is_users(code.co_filename):
                user = (os.path.abspath(code.co_filename), frame.f_lineno, code.co_name)
            frame = frame.f_back
        return user, vectorizer, copied


class _Class:
    """A class that was born from: its methods that count, by verb; None for a wrapper."""

    __slots__ = ("cls", "counted")

    def __init__(self, cls: Any, counted: Optional[Dict[str, Any]]) -> None:
        self.cls = weakref.ref(cls)
        self.counted = counted


_known: List[Births] = []


def take(hook: Any, seat: Any, module: Any) -> None:
    """See births from here on: of the classes that a seat names in a module of its framework."""
    if not _known:
        _known.append(Births(hook))
    births = _known[0]
    births.vectorizers.update(seat.VECTORIZERS)
    births.wrappers.update(dict.fromkeys(seat.WRAPPERS, True))
    for name in seat.BASES:
        base = getattr(module, name)
        type.__setattr__(base, "__new__", _seeing(base, births, seat.METHODS))
    births.tell("armed", module=module.__name__)


def _seeing(base: Any, births: Births, methods: Dict[str, str]) -> Any:
    """A `__new__` that sees a birth. It is of a type of C's, so that inspect.signature() passes it
    over, as it does with that of `object`.
    """
    own = vars(base).get("__new__")
    own = getattr(own, "__func__", own)

    def born(cls: Any, *args: Any, **kwargs: Any) -> Any:
        make = own or super(base, cls).__new__
        plain = make is object.__new__
        if plain and (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError("%s() takes no arguments" % cls.__name__)
        instance = make(cls) if plain else make(cls, *args, **kwargs)
        try:
            if type(instance) is cls:
                births.born(cls, instance, methods)
        except Exception as error:
            births.hook.complain(type(error).__name__)
        return instance

    born.__code__ = born.__code__.replace(co_filename=FILE)
    return functools.partial(born).__call__
