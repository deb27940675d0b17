"""Whether the factory survives the way to a worker: plain pickle and cloudpickle, and the path of what breaks."""

from __future__ import annotations

import functools
import pickle
import types
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

from envdoctor.model.subject import Subject
from envdoctor.probe import load
from envdoctor.probe.errors import error_value
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership

MAX_DEPTH = 6


def check(subject: Subject, journal: Journal, ownership: Ownership) -> None:
    """Journal the pickle fact for what the user would hand to a vectorizer: the id with its arguments, or the callable."""
    found = load.find(subject)
    factory: Any = (found.id, dict(subject.kwargs)) if found.target is None else functools.partial(found.target, **dict(subject.kwargs))
    value: Dict[str, Any] = {"what": found.id or getattr(found.target, "__qualname__", type(found.target).__name__)}
    value["plain"] = attempt(factory, pickle.dumps, ownership)
    cloud = _cloudpickle()
    value["cloudpickle"] = attempt(factory, cloud, ownership) if cloud else None
    journal.write("fact", key="pickle", value=value)


def _cloudpickle() -> Optional[Callable[[Any], bytes]]:
    try:
        import cloudpickle
    except ImportError:
        return None
    dumps: Callable[[Any], bytes] = cloudpickle.dumps
    return dumps


def attempt(factory: Any, dumps: Callable[[Any], bytes], ownership: Ownership) -> Dict[str, Any]:
    """{"ok", "error", "path"} of pickling one object."""
    try:
        dumps(factory)
    except Exception as error:
        return {"ok": False, "error": error_value(error, ownership), "path": blame_path(factory, dumps)}
    return {"ok": True, "error": None, "path": ""}


def blame_path(culprit: Any, dumps: Callable[[Any], bytes]) -> str:
    """The attribute path of the innermost part that does not pickle: `factory.sim._lock`."""
    path = "factory"
    for _ in range(MAX_DEPTH):
        for step, part in parts(culprit):
            if not pickles(part, dumps):
                path, culprit = path + step, part
                break
        else:
            break
    return path


def pickles(part: Any, dumps: Callable[[Any], bytes]) -> bool:
    """Whether it can be pickled."""
    try:
        dumps(part)
    except Exception:
        return False
    return True


def parts(value: Any) -> Iterator[Tuple[str, Any]]:
    """(path step, part) of what pickling a value would descend into."""
    if isinstance(value, functools.partial):
        yield "", value.func
        for name, part in value.keywords.items():
            yield "(%s=)" % name, part
    elif isinstance(value, dict):
        for key, part in value.items():
            yield "[%r]" % (key,), part
    elif isinstance(value, (list, tuple)):
        for index, part in enumerate(value):
            yield "[%d]" % index, part
    elif isinstance(value, types.FunctionType):
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            yield "." + name, cell.cell_contents
    else:
        for name, part in getattr(value, "__dict__", {}).items():
            yield "." + name, part
