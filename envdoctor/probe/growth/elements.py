"""The number of elements of the containers that an environment's instance, modules and classes
lead to.

Small numbers, None and texts that are there already cost nothing when they are put into a set:
only its table grows, by leaps that are farther apart each time. 63 episodes in a set changed
malloc's bytes once, and no other meter at all. The number of elements is exact.

No code of the subject runs, and no reference is kept.
"""

from __future__ import annotations

import gc
import os
import sys
import types
import weakref
from collections import deque
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

DEPTH = 6  # references that are followed from the instance or the module
MOST = 5000  # objects that are looked at; where there are more, nothing is said
BREADTH = 64  # elements of a container that are followed themselves

_OURS = "envdoctor"
_KINDS = (list, dict, set, deque, bytearray)
#: What leads out of the environment, or nowhere.
LEAVES = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.FrameType,
    types.GeneratorType,
    weakref.ReferenceType,
    str,
    bytes,
    int,
    float,
    complex,
    type(None),
)
_LEAVES = frozenset(map(id, LEAVES))
#: Types of most of what modules and classes define, by id: a class may have a hash of its own.
_DEFINED = frozenset(
    map(id, (*LEAVES[1:], bool, property, staticmethod, classmethod, types.MethodDescriptorType))
)


#: The modules that are not of a package, nor in a folder: names and addresses. With PyTorch there
#: are thousands, and they are gone through twice for each block of cycles.
_others: Dict[Tuple[str, str], Dict[str, int]] = {}


def count(instance: Optional[object], module: str) -> int:
    """The elements of all containers that are found; -1 where there are too many objects to look
    at. `module` is that of the environment's class: those of its package, and those that lie in its
    folder, are the environment's own.
    """
    visited: Set[int] = set()
    total = 0
    level: List[object] = [] if instance is None else [instance]
    level += _globals(module)
    for _ in range(DEPTH):
        following: List[object] = []
        for obj in level:
            if id(obj) in visited:
                continue
            visited.add(id(obj))
            if len(visited) > MOST:
                return -1
            length = _length(obj)
            total += max(0, length)
            if length <= BREADTH:
                following += _held(obj)
        level = following
    return total


def _is(obj: object, kinds: Sequence[type]) -> bool:
    """As isinstance(), which asks the object for its class where its type is none of them."""
    return issubclass(type(obj), tuple(kinds))


def _length(obj: Any) -> int:
    """Return the number of elements of a container without a bound; -1 for anything else."""
    for kind in _KINDS if _is(obj, _KINDS) else ():
        if _is(obj, (kind,)) and not (kind is deque and obj.maxlen is not None):
            return int(kind.__len__(obj))
    return -1


def _held(obj: object) -> Iterator[object]:
    """Iterate over what an object refers to. The dict of its attributes does not count."""
    held = _without_leaves(gc.get_referents(obj))
    if len(held) == 1 and type(held[0]) is dict and _length(obj) < 0:
        held = _without_leaves(dict.values(held[0]))
    return iter(held)


def _without_leaves(values: Iterable[object]) -> List[object]:
    return [each for each in values if id(type(each)) not in _LEAVES and not _is(each, LEAVES)]


def _globals(module: str) -> Iterator[object]:
    """The containers of modules and of their classes, and objects of these classes."""
    package = module.partition(".")[0]
    if package in ("", _OURS):
        return
    folder = _folder_of(module)
    classes: Set[int] = set()  # many modules have one by name
    others = _others.setdefault((package, folder), {})
    for name, each in list(sys.modules.items()):
        if others.get(name) == id(each):
            continue
        first = name.partition(".")[0]
        if not (folder or first == package):
            others[name] = id(each)
            continue
        if not _is(each, (types.ModuleType,)):
            continue
        names = types.ModuleType.__getattribute__(each, "__dict__")
        file = _text(names, "__file__")
        if first != package and file and not file.startswith(folder):
            others[name] = id(each)
        elif first == package or file.startswith(folder):
            own = [value for key, value in list(names.items()) if key != "__builtins__"]
            yield from _own(own, first, classes)


def _folder_of(module: str) -> str:
    """The folder of a module that lies among the user's own files; empty for an installed one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if "." in module or type(file) is not str:
        return ""
    folder = os.path.dirname(file)
    installed = os.path.basename(folder) in ("site-packages", "dist-packages")
    return "" if installed or folder == os.path.dirname(os.__file__) else folder + os.sep


def _own(
    values: Iterable[Any], package: str, classes: Set[int], of_class: bool = False
) -> Iterator[object]:
    for value in values:
        if id(type(value)) in _DEFINED:
            continue
        if _is(value, (type,)):
            if not of_class and id(value) not in classes and _package_of(value) == package:
                classes.add(id(value))
                names = type.__getattribute__(value, "__dict__")
                yield from _own(list(names.values()), package, classes, True)
        elif _is(value, _KINDS) or (_package_of(type(value)) == package and not _is(value, LEAVES)):
            yield value


def _package_of(kind: type) -> str:
    """The first name of the module of a class."""
    return _text(type.__getattribute__(kind, "__dict__"), "__module__").partition(".")[0]


def _text(names: Mapping[str, object], name: str) -> str:
    """The text that a namespace has by a name; empty where it has none."""
    value = names.get(name)
    return value if type(value) is str else ""
