"""Vectorizers that have one instance in several places: the function that they were given returned
the same one each time. No code of the user's runs for it.
"""

from __future__ import annotations

import contextlib
import weakref
from types import FrameType
from typing import TYPE_CHECKING, Dict, List, Optional, Protocol, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook
    from envdoctor.probe.live.rows import InstanceRow

PLACES = ("envs", "_envs")  # attributes in which vectorizers have their instances
NAMED = "vec"  # in the names of vectorizers
WRAPPER = "Wrapper"  # in the names of what wrappers inherit from
MOST, MOST_FRAMES = 1024, 8  # that are looked at
_looked: Dict[int, object] = {}  # vectorizers of the user's, by their ids, which end with them


class FollowedInstances(Protocol):
    """Instances of a process."""

    def follows(self, obj: object) -> bool:
        """Return whether an object is an instance that is followed."""


class HostedInstances(FollowedInstances, Protocol):
    """Instances of a process, which vectorizers may have."""

    hook: Hook
    name: str

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def rows(self) -> List[InstanceRow]:
        """The instances that there are."""

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""

    def where(self) -> Tuple[Optional[Tuple[str, int, str]], str, bool]:
        """The user's line that is running, first."""


def look_at_hosted(watched: HostedInstances, vectorizer: object) -> None:
    """Journal the instances that a new vectorizer has in several places, and in how many. Nothing
    of ours reaches the user.
    """
    try:
        _journal(watched, vectorizer, "")
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def look_at_hosts(watched: HostedInstances, frame: Optional[FrameType]) -> None:
    """Journal the same of a vectorizer of the user's, one of whose methods runs in a frame or above
    it: it resets an instance right after another reset().
    """
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        code = frame.f_code
        names = code.co_varnames[: min(1, code.co_argcount)]
        host = frame.f_locals.get(names[0]) if names else None
        is_new = _is_vectorizer(host) and id(host) not in _looked
        if is_new and watched.is_users(code.co_filename):
            _remember(host)
            _journal(watched, host, code.co_name)
        frame = frame.f_back


def instances_of(watched: FollowedInstances, host: object) -> List[object]:
    """The instances that an object has in a list or a tuple, as vectorizers do; none where it has
    not several.
    """
    for each in loaded.attributes(host).values():
        if type(each) is list or type(each) is tuple:
            inner = [_innermost(instance) for instance in each[:MOST]]
            followed = [instance for instance in inner if watched.follows(instance)]
            if len(followed) > 1:
                return followed
    return []


def _remember(host: object) -> None:
    """Look at it once: another one may be at its address when it is gone."""
    key = id(host)
    with contextlib.suppress(TypeError):  # it has no weak references
        _looked[key] = weakref.ref(host, lambda _: _looked.pop(key, None))
    _looked.setdefault(key, None)


def _journal(watched: HostedInstances, vectorizer: object, method: str) -> None:
    places: Dict[int, int] = {}
    for each in _hosted(vectorizer):
        key = id(_innermost(each))
        places[key] = places.get(key, 0) + 1
    rows = watched.rows() if len(places) < sum(places.values()) else []
    for row in rows:
        if places.get(row.key, 0) > 1:
            numbers = {"row": row.start // WIDTH - FIRST + 1, "number": places[row.key]}
            keys = {"page": watched.name, "by": type(vectorizer).__name__, "method": method}
            frame = frame_of(watched.where()[0])
            watched.tell("hosted-twice", frame=frame, **keys, **numbers)


def _hosted(vectorizer: object) -> List[object]:
    """The instances of a vectorizer, as it has them; none where it has workers."""
    lists = (loaded.own(vectorizer, name) for name in PLACES)
    return next((list(each[:MOST]) for each in lists if type(each) in (list, tuple)), [])


def _is_vectorizer(host: object) -> bool:
    """Return whether an object is a vectorizer by its name: a list of environments may be one of
    tasks, of which a frequent one is there more often.
    """
    name = type(host).__name__.lower()
    return (NAMED in name or name.endswith(PLACES)) and bool(_hosted(host))


def _innermost(env: object) -> object:
    """The instance in wrappers. What is not one by its class may be a part of an environment that
    several parts share, as the view of an agent is: each place has a part of its own then.
    """
    for _ in range(loaded.MOST_LAYERS):
        is_wrapper = any(WRAPPER in base.__name__ for base in type(env).__mro__)
        inner = loaded.wrapped(env) if is_wrapper else None
        if inner is None:
            break
        env = inner
    return env
