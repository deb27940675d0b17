"""Identity of objects: `id()` is given again as soon as an object is gone, a serial never is."""

from __future__ import annotations

import itertools
import weakref
from typing import Callable, Dict, Optional, Tuple

_STAMP = "_envdoctor_serial"


class _FiledReference(weakref.ref):  # type: ignore[type-arg]
    """A weak reference that knows where it is filed."""

    __slots__ = ("key",)
    key: int


class Serials:
    """Numbers objects from 1, each object once. Holds none of them: an entry goes with its
    object.
    """

    def __init__(self) -> None:
        self._known: Dict[int, Tuple[_FiledReference, int]] = {}
        self._numbers = itertools.count(1)
        self._forget = _forgetter(weakref.ref(self))

    def __len__(self) -> int:
        return len(self._known)

    def serial(self, obj: object) -> Optional[int]:
        """The object's number, the same one each time. None for what can neither be weakly
        referenced nor stamped: its identity cannot be established.
        """
        entry = self._known.get(id(obj))
        if entry is not None and entry[0]() is obj:
            return entry[1]
        try:
            reference = _FiledReference(obj, self._forget)
        except TypeError:  # __slots__ without __weakref__
            return self._stamped(obj)
        reference.key = id(obj)
        number = next(self._numbers)
        self._known[reference.key] = (reference, number)
        return number

    def _stamped(self, obj: object) -> Optional[int]:
        try:
            attributes = object.__getattribute__(obj, "__dict__")
            stamp = attributes.get(_STAMP)
            if stamp is None or stamp[0] != id(obj):  # copy.copy() copies the stamp, too
                stamp = attributes[_STAMP] = (id(obj), next(self._numbers))
        except (AttributeError, TypeError):
            return None
        number: int = stamp[1]
        return number


def _forgetter(owner: Callable[[], Optional[Serials]]) -> Callable[[_FiledReference], None]:
    """Weak towards the registry: its entries must not hold it in a cycle."""

    def forget(reference: _FiledReference) -> None:
        serials = owner()
        if serials is not None and serials._known.get(reference.key, (None,))[0] is reference:
            del serials._known[reference.key]

    return forget
