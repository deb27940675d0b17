"""The owner of the code in a file: the user, a library, or envdoctor."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import lru_cache
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, Optional, Tuple

if TYPE_CHECKING:
    from types import FrameType


@lru_cache(maxsize=None)
def _installed() -> FrozenSet[str]:
    """Folders of this interpreter's libraries. Asked for each instance, and slow to answer."""
    paths = sysconfig.get_paths()
    return frozenset(paths.get(key, "") for key in ("stdlib", "platstdlib", "purelib", "platlib"))


def _libraries() -> Tuple[str, ...]:
    paths = set(_installed())
    known = sys.path or ()  # None while Python exits
    paths.update(path for path in known if path.endswith(("site-packages", "dist-packages")))
    return tuple(sorted(os.path.join(os.path.realpath(path), "") for path in paths if path))


@lru_cache(maxsize=None)
def _folder(path: str) -> str:
    """The folder itself, behind links: most modules share theirs with others."""
    return os.path.realpath(path)


def _resolved(path: str) -> str:
    """The file itself, behind links. The folder of a relative name may change."""
    if not os.path.isabs(path):
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    inside = os.path.join(_folder(folder), name)
    return os.path.realpath(inside) if os.path.islink(inside) else inside


class Ownership:
    """Decides whether a source file is the subject's own. `roots` are files or folders that count
    as the user's although they are installed as a library (the package that the subject comes
    from).
    """

    def __init__(self, roots: FrozenSet[str] = frozenset()) -> None:
        self.roots = tuple(os.path.realpath(root) for root in roots)
        self.libraries = _libraries()

    def is_users(self, filename: str) -> bool:
        """Return whether `filename` is the subject's own code."""
        if (
            filename.startswith("<")
            or ".pyz" in filename
            or "/envdoctor/probe/" in filename
            or "/envdoctor/model/" in filename
        ):
            return False
        path = _resolved(filename)
        if any(path == root or path.startswith(os.path.join(root, "")) for root in self.roots):
            return True
        return not path.startswith(self.libraries)


def is_ours(filename: str) -> bool:
    """Return whether a frame belongs to the probe itself (it travels in a zip file)."""
    return ".pyz" in filename or "/envdoctor/probe/" in filename


def own_place(
    frame: Optional[FrameType], is_own: Callable[[str], bool]
) -> Optional[Tuple[str, int, str]]:
    """(file, line, function) of the innermost frame whose file `is_own`; None where none is."""
    while frame is not None:
        code = frame.f_code
        if is_own(code.co_filename):
            # Since 3.11 with its class.
            return code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)
        frame = frame.f_back
    return None


def frame_of(place: Optional[Tuple[str, int, str]]) -> Optional[Dict[str, object]]:
    """A place (file, line, function) as the journal has it; None of none."""
    if place is None:
        return None
    file, line, function = place
    return {"file": os.path.abspath(file), "line": line, "function": function}
