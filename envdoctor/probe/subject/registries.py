"""The registries of Gymnasium, of the older gym, and of other kinds of environments: who knows an
id, who registered it, which id was meant.
"""

from __future__ import annotations

import difflib
import dis
import importlib
import importlib.util
import re
import sys
from types import CodeType
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
)

from envdoctor.probe.frameworks.names import OTHER_REGISTRIES, REGISTERING
from envdoctor.probe.frameworks.names import REGISTRIES as LIBRARIES

if TYPE_CHECKING:
    from types import ModuleType

MAX_NEAREST = 3
MAX_OVERRIDDEN = 20
ROWS = 2  # of a vector environment for which no number is given: fewer would hide what rows share
MAX_SOURCE = 400_000  # bytes of one file that are searched for a registration

#: Libraries that were not found, and where they were looked for.
_not_installed: Dict[str, List[str]] = {}


def _library(name: str) -> Optional[ModuleType]:
    """The library, imported if it is installed. The old gym prints a warning when imported, so
    it is asked last.
    """
    if name in sys.modules:
        return sys.modules[name]
    if _not_installed.get(name) == sys.path:  # it is asked for at each make, on each folder
        return None
    if importlib.util.find_spec(name) is None:
        _not_installed[name] = list(sys.path)
        return None
    try:
        # As a user's script does, so that what it does to the process is seen as the library's.
        return __import__(name)
    except Exception:
        return None


def prepare() -> None:
    """Import the library that makes most ids, before anything is held against what is imported
    later.
    """
    _library(LIBRARIES[0])


def _registry(library: ModuleType) -> Mapping[str, object]:
    registration = importlib.import_module(library.__name__ + ".envs.registration")
    registry = registration.registry
    # Gym before 0.26 keeps the dict inside an object.
    known: Mapping[str, object] = getattr(registry, "env_specs", registry)
    return known


def ids(library: ModuleType) -> List[str]:
    """Every registered id of a library."""
    return list(_registry(library))


def library_of(name: str) -> Optional[ModuleType]:
    """The library that knows the id, or None. An id without a version counts when any version
    is known.
    """
    for library in LIBRARIES:
        loaded = _library(library)
        if loaded is not None and _known(loaded, name):
            return loaded
    return None


def _known(library: ModuleType, name: str) -> bool:
    known = _registry(library)
    return name in known or any(
        other.startswith(name) and re.sub(r"-v\d+$", "", other) == name for other in known
    )


def _others() -> List[ModuleType]:
    """The modules of registries of other kinds, which import nothing before they are asked."""
    return [importlib.import_module(name) for name in OTHER_REGISTRIES]


def _other_of(name: str) -> Optional[ModuleType]:
    """The module of another kind that knows an id which no library above knows."""
    return next((other for other in _others() if other.specification(name) is not None), None)


def knows(name: str) -> bool:
    """Return whether any library knows the id."""
    return library_of(name) is not None or _other_of(name) is not None


def specification(name: str) -> object:
    """The EnvSpec of an id, or None."""
    library = library_of(name)
    if library is not None:
        return _registry(library).get(name)
    other = _other_of(name)
    return None if other is None else other.specification(name)


def make(what: Any, kwargs: Mapping[str, object]) -> object:
    """`gymnasium.make(what, **kwargs)`, or the older gym's, as a user would call it: `make_vec`
    where only a vector environment is registered. Raises what make raises.
    """
    text = what if isinstance(what, str) else what.id
    name = text.rsplit(":", 1)[-1]
    library = library_of(name)
    other = _other_of(name) if library is None else None
    if other is not None:
        return other.make(name, kwargs)
    installed = (_library(name) for name in LIBRARIES)
    library = library or next(filter(None, installed), None)
    if library is None:
        raise ModuleNotFoundError("neither %s is installed here" % " nor ".join(LIBRARIES))
    if only_in_rows(_registry(library).get(name) if what is text else what):
        return library.make_vec(what, **{"num_envs": ROWS, **kwargs})
    return library.make(what, **kwargs)


def only_in_rows(spec: object) -> bool:
    """Return whether a specification builds a vector environment, and no single one."""
    return (
        getattr(spec, "entry_point", None) is None
        and getattr(spec, "vector_entry_point", None) is not None
    )


def registered_during(action: Callable[[], object], module: Optional[str]) -> Dict[str, str]:
    """Run `action`; {id: module} for the ids that it registered."""
    before = {
        name: set(ids(loaded))
        for name in LIBRARIES
        for loaded in [sys.modules.get(name)]
        if loaded is not None
    }
    action()
    after = {
        name: set(ids(loaded))
        for name in LIBRARIES
        for loaded in [sys.modules.get(name)]
        if loaded is not None
    }
    return {
        new: str(module)
        for name, known in after.items()
        if name in before or name == LIBRARIES[0]
        for new in known - before.get(name, set())
    }


def registered() -> List[str]:
    """Every id that the libraries know that are imported."""
    loaded = filter(None, map(sys.modules.get, LIBRARIES))
    return [name for library in loaded for name in ids(library)]


def owners() -> Dict[str, str]:
    """{id: entry point} of what the first library that is installed knows now, but for
    placeholders: they wait for the package that takes them. It is imported for that.
    """
    loaded = next(
        (loaded for name in LIBRARIES for loaded in [_library(name)] if loaded is not None), None
    )
    return (
        {}
        if loaded is None
        else {
            name: entry_point_of(spec)
            for name, spec in _registry(loaded).items()
            if not is_placeholder(getattr(spec, "entry_point", None))
        }
    )


def is_placeholder(entry_point: object) -> bool:
    """A function whose first way out is `raise`, with no branch before it.

    Case: Gymnasium keeps Reacher-v2 and sixteen more for gymnasium-robotics, which registers them.
    """
    function = _loaded(entry_point) if isinstance(entry_point, str) else entry_point
    code = getattr(function, "__code__", None)
    return isinstance(code, CodeType) and _only_raises(code)


def _loaded(entry_point: str) -> object:
    """The object that a text names, where its module is imported already."""
    module, _, name = entry_point.partition(":")
    return getattr(sys.modules.get(module), name, None)


def _only_raises(code: CodeType) -> bool:
    jumps = {*dis.hasjrel, *dis.hasjabs}
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RAISE_VARARGS":
            return True
        if instruction.opcode in jumps or instruction.opname.startswith(("RETURN", "YIELD")):
            return False
    return False


class Overridden(NamedTuple):
    """An id whose entry point `was` another one."""

    id: str
    was: str
    now: str


def overridden(before: Mapping[str, str]) -> List[Overridden]:
    """The ids that have been taken from the package that had them, since `owners()` gave
    `before`.
    """
    now = owners() if before else {}
    changed = (
        (name, before[name], now[name]) for name in now if before.get(name, now[name]) != now[name]
    )
    return [
        Overridden(name, was, new)
        for name, was, new in changed
        if _package_of(was) != _package_of(new)
    ][:MAX_OVERRIDDEN]


def entry_point_of(spec: object) -> str:
    """`package.module:Name`, also of an entry point that is a callable."""
    entry_point = getattr(spec, "entry_point", None)
    if entry_point is None or isinstance(entry_point, str):
        return entry_point or ""
    return "%s:%s" % (
        getattr(entry_point, "__module__", ""),
        getattr(entry_point, "__qualname__", type(entry_point).__qualname__),
    )


def _package_of(entry_point: str) -> str:
    return re.split(r"[.:]", entry_point)[0]


def nearest(name: str) -> List[str]:
    """Registered ids that the user may have meant, best first; another version of the same name
    comes first.
    """
    known = [
        other
        for library in LIBRARIES
        for loaded in [_library(library)]
        if loaded is not None
        for other in ids(loaded)
    ] + [name for other in _others() for name in other.ids()]
    stem = re.sub(r"-v\d+$", "", name).lower()
    same = [other for other in known if re.sub(r"-v\d+$", "", other).lower() == stem]
    lowered = {other.lower(): other for other in known}
    close = [
        lowered[other]
        for other in difflib.get_close_matches(name.lower(), list(lowered), MAX_NEAREST, 0.75)
    ]
    return list(dict.fromkeys(sorted(same, reverse=True) + close))[:MAX_NEAREST]


def would_register(*names: str) -> List[str]:
    """Installed packages whose source registers one of these ids, found by reading, without
    importing anything.
    """
    return _packages_with(r"""["'](?:%s)["']""" % "|".join(map(re.escape, names)))


def may_register(name: str) -> List[str]:
    """Installed packages that register ids of the same namespace: where there are many they are
    put together, f"ALE/{game}-v5". One that is imported already has registered what it does.
    """
    namespace, slash, _ = name.partition("/")
    known = _packages_with(r"""["']%s/""" % re.escape(namespace)) if slash else []
    return [package for package in known if package not in sys.modules]


def _packages_with(pattern: str) -> List[str]:
    return sorted({package for package, text in _registering_sources() if re.search(pattern, text)})


def _registering_sources() -> Iterator[Tuple[str, str]]:
    """(package, text) of every source file that registers something, in the distributions that
    know Gymnasium or gym.
    """
    from importlib import metadata

    for distribution in metadata.distributions():
        if not re.search(REGISTERING, " ".join(distribution.requires or [])):
            continue
        for file in distribution.files or []:
            text = _read(str(distribution.locate_file(file))) if file.suffix == ".py" else ""
            if "register(" in text:
                yield file.parts[0], text


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            return source.read(MAX_SOURCE)
    except OSError:
        return ""
