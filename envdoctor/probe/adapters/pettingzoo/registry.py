"""PettingZoo's registries of ids: one of each environment API, since its version 1.26."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, List, Mapping, Optional

if TYPE_CHECKING:
    from types import ModuleType

KINDS = ("parallel", "aec")  # the first one that knows an id, unless the user says `env_type`
ASKED = "env_type"


def ids() -> List[str]:
    """Every id of both."""
    library = _library()
    if library is None:
        return []
    return [*library.parallel_registry, *library.aec_registry]


def specification(name: str) -> Optional[object]:
    """Specification of an id, also of one without its version, or None."""
    kind = _kind_of(name)
    return None if kind is None else _library().spec(kind, name)  # type: ignore[union-attr]


def make(name: str, kwargs: Mapping[str, object]) -> object:
    """`pettingzoo.make(env_type, name, **kwargs)`. Raises what that raises."""
    arguments = dict(kwargs)
    kind = arguments.pop(ASKED, None) or _kind_of(name)
    return _library().make(kind, name, **arguments)  # type: ignore[union-attr]


def _kind_of(name: str) -> Optional[str]:
    library = _library()
    for kind in KINDS if library is not None else ():
        try:
            library.spec(kind, name)  # type: ignore[union-attr]
        except Exception:
            continue
        return kind
    return None


def _library() -> Optional[ModuleType]:
    """The library, where it is installed and has registries."""
    if importlib.util.find_spec("pettingzoo") is None:
        return None
    try:
        library = importlib.import_module("pettingzoo")
    except Exception:
        return None
    return library if hasattr(library, "parallel_registry") else None
