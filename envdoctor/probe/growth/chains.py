"""Writes a chain of references as the expression that a person would type:
`pkg.sim.REGISTRY[3].callbacks[0]`.

No code of the subject runs here: no property, no __getattr__, no __repr__, no __eq__.
"""

from __future__ import annotations

import functools
import re
import threading
import types
from collections import deque
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Type, TypeVar, Union

from envdoctor.model.kept_chains import RESULTS

if TYPE_CHECKING:
    from typing import TypeGuard

    T = TypeVar("T")

# The root that an instance which we hold open has, for want of another; it is not shown.
OPEN = "<open>"

CACHE = type(functools.lru_cache(maxsize=None)(lambda: None))

_LOGGER = re.compile(r"logging\.Logger\.manager\.loggerDict\[('[^']*')\]")

MAX_LENGTH = 300  # characters of a chain
_MAX_KEY = 40  # characters of a key

_PLAIN_KEYS = (str, bytes, int, float, bool, type(None))  # their repr is Python's own

#: Types whose attributes are plain fields, and the fields that lead on.
_FIELDS = (
    (types.MethodType, ("__self__", "__func__")),
    (types.BuiltinMethodType, ("__self__",)),
    (
        types.FunctionType,
        ("__closure__", "__defaults__", "__kwdefaults__", "__dict__", "__globals__"),
    ),
    (types.CellType, ("cell_contents",)),
    (functools.partial, ("func", "args", "keywords")),
    ((staticmethod, classmethod), ("__func__",)),
    (property, ("fget", "fset", "fdel")),
    (types.TracebackType, ("tb_frame", "tb_next")),
    (types.FrameType, ("f_back",)),
    (types.GeneratorType, ("gi_frame",)),
    (BaseException, ("__traceback__", "__context__", "__cause__", "args")),
)


def is_a(obj: object, kinds: Union[Type[T], Tuple[Type[T], ...]]) -> TypeGuard[T]:
    """Return whether an object's own type is one of some classes, or below it. `isinstance` asks
    the object as well: torch.distributed.reduce_op has a `__class__` that prints a warning.
    """
    return issubclass(type(obj), kinds)


def chain(path: Sequence[object], root: str = "") -> str:
    """The expression for the last object of `path`, as seen from the first, of which each
    object refers to the next. `root` is the expression for the first, where it needs one.
    """
    text, namespace = root or _root(path[0]), False
    opened = text == OPEN
    for holder, held in zip(path, path[1:]):
        if _is_namespace(holder, held):
            namespace = True
            continue
        text += _step(holder, held, namespace)
        namespace = False
    text = text[len(OPEN) + 1 :] if opened else text
    logger = _LOGGER.match(text)
    if logger is not None:  # `sub` would leave an entry in a cache
        text = "logging.getLogger(%s)%s" % (logger.group(1), text[logger.end() :])
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "..."


def _root(obj: object) -> str:
    if is_a(obj, types.ModuleType):
        return str(types.ModuleType.__getattribute__(obj, "__name__"))
    if is_a(obj, type):
        return type_name(obj)
    if is_a(obj, threading.Thread):
        return "<thread '%s'>" % obj._name  # type: ignore[attr-defined]
    return _type_name(obj)


def _is_namespace(holder: object, held: object) -> bool:
    """Return whether `held` is what the attributes of `holder` are kept in. A class shows its own
    only through a proxy.
    """
    if type(held) is not dict:
        return False
    return is_a(holder, type) or own_namespace(holder) is held


def own_namespace(obj: object) -> Any:
    """The dict in which an object keeps its attributes, which Python may make only now; None where
    it has none.
    """
    try:
        return object.__getattribute__(obj, "__dict__")
    except (AttributeError, TypeError):
        return None


def _step(holder: object, held: object, namespace: bool) -> str:
    try:
        step = _item(holder, held, namespace) or _attribute(holder, held)
    except (RuntimeError, AttributeError, ValueError):  # another thread changes it; an empty cell
        step = None
    return step or (RESULTS if type(holder) is CACHE else ".<%s>" % type(held).__name__)


def _item(holder: object, held: object, namespace: bool) -> Optional[str]:
    if is_a(holder, dict):
        for key, value in dict.items(holder):
            if value is held:
                return ".%s" % key if namespace and is_a(key, str) else "[%s]" % _key(key)
            if key is held:
                return ".<key>"
    if is_a(holder, (list, tuple, deque)):
        kind: Any = list if is_a(holder, list) else tuple if is_a(holder, tuple) else deque
        for index, value in enumerate(kind.__iter__(holder)):
            if value is held:
                return "[%d]" % index
    if is_a(holder, (set, frozenset)):
        return ".<member>"
    return None


def _key(key: object) -> str:
    if type(key) in _PLAIN_KEYS:
        return repr(key) if len(repr(key)) <= _MAX_KEY else repr(key)[:_MAX_KEY] + "..."
    return "<%s>" % type(key).__name__


def _attribute(holder: object, held: object) -> Optional[str]:
    if type(holder).__dictoffset__ and not is_a(holder, type):
        for name, value in dict.items(own_namespace(holder) or {}):
            if value is held:
                return ".%s" % name
    for name in _fields(holder):
        if getattr(holder, name, None) is held:
            return ".%s" % name
    return _slot(holder, held)


def _fields(holder: object) -> List[str]:
    return [name for kind, names in _FIELDS if is_a(holder, kind) for name in names]


def _slot(holder: object, held: object) -> Optional[str]:
    for kind in type(holder).__mro__:
        for name, member in list(vars(kind).items()):
            if is_a(member, types.MemberDescriptorType) and _value(member, holder) is held:
                return ".%s" % name
    return None


def _value(member: Any, holder: object) -> object:
    try:
        return member.__get__(holder)
    except AttributeError:  # an empty slot
        return None


def _type_name(obj: object) -> str:
    return "<%s>" % type(obj).__name__


def type_name(kind: type) -> str:
    """`pkg.sim.Handle`, or `dict`."""
    module, name = module_of(kind), str(type.__getattribute__(kind, "__qualname__"))
    return name if module in ("", "builtins") else "%s.%s" % (module, name)


def module_of(kind: type) -> str:
    """Return the module of a class; empty for some that C code made and that do not say."""
    try:
        return str(type.__getattribute__(kind, "__module__"))
    except AttributeError:
        return ""
