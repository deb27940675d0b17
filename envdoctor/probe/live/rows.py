"""The row of a page that counts an instance, and the methods of its class that count."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Optional, Tuple

MAKE = "__init__"  # what makes an instance
SEED = "seed"  # a method of older interfaces, and an argument of reset()


class InstanceRow(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that knows the row of its instance, and the methods that count its calls.
    It was `closed` once; it is `open` where it was not, or where a reset() came after that.
    """

    __slots__ = ("closed", "closed_at", "counted", "key", "open", "start")
    key: int
    start: int
    closed: bool
    closed_at: Optional[Tuple[str, int, str]]
    open: bool
    counted: Dict[str, object]


def takes(method: object, name: str) -> bool:
    """Return whether a function, counted or not, has an argument of this name."""
    code = getattr(getattr(method, "__wrapped__", method), "__code__", None)
    return code is None or name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class CountedClass:
    """A class of instances: its methods that count, by verb; None for a wrapper. `closes` says
    whether it has more of a close() than the base class of its framework. `rank` says how a class
    without such a base was recognised, and is 0 of others. It `takes_seed` by reset() or seed().
    """

    __slots__ = ("closes", "cls", "counted", "methods", "names", "rank", "takes_seed")

    def __init__(
        self,
        cls: Any,
        counted: Optional[Dict[str, Any]],
        base: type,
        methods: Dict[str, str],
        rank: int = 0,
    ) -> None:
        self.cls = weakref.ref(cls)
        self.names = dict(methods, make=MAKE)
        self.counted, self.rank = counted, rank
        self.methods = {verb: getattr(cls, self.names[verb], None) for verb in counted or ()}
        self.closes = any("close" in vars(each) for each in cls.__mro__ if each not in base.__mro__)
        self.takes_seed = not rank or hasattr(cls, SEED) or takes(cls.reset, SEED)

    def counts(self) -> bool:
        """Return whether its methods are still those that count: where cloudpickle loads a class of
        `__main__` that the process has, it gives it its original ones again.
        """
        cls = self.cls()
        return all(
            getattr(cls, self.names[verb], None) is method for verb, method in self.methods.items()
        )
