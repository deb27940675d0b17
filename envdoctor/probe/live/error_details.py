"""Circumstances of an exception that ends a script, or a worker, which its message does not have:
the layer of a wrapper that has the attribute, the function of a generator, the modules that would
register an id, the variable that has all that reset() returned.
"""

from __future__ import annotations

import os
import re
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Dict, Iterable, List, Optional, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.live.unpickled import part_of
from envdoctor.probe.ownership import Ownership

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

LAYER, GENERATOR, REGISTRAR = "layer", "generator", "registrar"
BASE, SEARCHES = "base", "searches"
UNKNOWN_ID = ("NameNotFound", "NamespaceNotFound", "VersionNotFound", "UnregisteredEnv")
MOST_NAMES, VERSIONS = 3, 12
READING = "envdoctor.probe.subject.registrations"
INSTALLED = "envdoctor.probe.subject.registries"
KEYS = "envdoctor.probe.live.missing_keys"
INTERFACES = "envdoctor.probe.live.older_interface"
#: What the messages of Gymnasium, and of the older gym, name.
QUOTED, NAMESPACE = re.compile(r"`([^`]+)`"), re.compile(r"[Nn]amespace (\w+)")
WRITTEN = re.compile(r"env with id: (\S+)")
Detail = Dict[str, object]


def detail_of(hook: Hook, error: BaseException, entries: Iterable[Tuple[FrameType, int]]) -> Detail:
    """The circumstance of an exception; empty where none is known."""
    places, interfaces = list(entries), hook.load(INTERFACES)
    obj, name = getattr(error, "obj", None), getattr(error, "name", None)
    if isinstance(error, AttributeError):
        return _layer(obj, name) or interfaces.older_seed(obj, name) or interfaces.both(places)
    if type(error) is KeyError:
        missing: Detail = hook.load(KEYS).returned_without(error, places)
        return missing or interfaces.both(places)
    if type(error).__name__ in UNKNOWN_ID:
        ids = _ids(str(error))
        return interfaces.other_library(error, ids) or _registrars(hook, ids)
    code = getattr(part_of(error, places), "gi_code", None)
    return _generator(code) if isinstance(code, CodeType) else interfaces.both(places)


def _layer(obj: object, name: Optional[str]) -> Detail:
    """The class of what a wrapper wraps, at the smallest depth, which has the attribute that the
    wrapper has not; `base` where that wraps nothing itself, and `searches` where the wrapper has a
    method that looks through all of them.
    """
    searches = [SEARCHES] if hasattr(type(obj), "get_wrapper_attr") else []
    layer = loaded.wrapped(obj) if name else None
    for _ in range(loaded.MOST_LAYERS):
        if layer is None or name is None:
            break
        if name in loaded.attributes(layer) or any(
            name in vars(kind) for kind in type(layer).__mro__
        ):
            depth = [BASE] if loaded.wrapped(layer) is None else []
            return {"kind": LAYER, "names": [type(layer).__name__, name, *depth, *searches]}
        layer = loaded.wrapped(layer)
    return {}


def _generator(code: CodeType) -> Detail:
    place = (os.path.abspath(code.co_filename), code.co_firstlineno, code.co_name)
    frame = dict(zip(("file", "line", "function"), place))
    return {"kind": GENERATOR, "names": [code.co_name], "frame": frame}


def _registrars(hook: Hook, names: List[str]) -> Detail:
    """The modules of the user's folders, else the installed packages, that were not imported, and
    whose import registers the id.
    """
    reading, script = hook.load(READING), _script()
    known = {
        module
        for folder in _folders()
        if names
        for module in reading.modules_with(names, folder)
        if os.path.join(folder, module) != script
    }
    missing = [module for module in known if loaded.module(module) is None]
    if not missing and names:
        packages = hook.load(INSTALLED).would_register(*names)
        missing = [package for package in packages if loaded.module(package) is None]
    return {"kind": REGISTRAR, "names": sorted(missing)[:MOST_NAMES]} if missing else {}


def _ids(message: str) -> List[str]:
    """The ids that a message may mean: most of them leave the version out."""
    quoted, written = QUOTED.findall(message), WRITTEN.search(message)
    namespace = NAMESPACE.search(message)
    if written is not None:
        return [written.group(1)]
    if not quoted:
        return []
    name = "%s/%s" % (namespace.group(1), quoted[-1]) if namespace else quoted[-1]
    return [name, *("%s-v%d" % (name, number) for number in range(VERSIONS))]


def _folders() -> List[str]:
    """The folders of the user's own modules."""
    ownership = Ownership()
    folders = [os.path.abspath(path) for path in sys.path if os.path.isdir(path or os.curdir)]
    return [path for path in folders if ownership.is_users(os.path.join(path, "module.py"))]


def _script() -> str:
    """The file of the script, without its ending."""
    file = getattr(loaded.module("__main__"), "__file__", None)
    return os.path.splitext(os.path.abspath(file))[0] if file else ""
