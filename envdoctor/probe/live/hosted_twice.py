"""Vectorizers that have one instance in several places: the function that they were given returned
the same one each time. No code of the user's runs for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Optional, Protocol, Tuple

from envdoctor.model.page import FIRST, WIDTH
from envdoctor.probe import loaded
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook
    from envdoctor.probe.live.rows import InstanceRow

PLACES = ("envs", "_envs")  # attributes in which vectorizers have their instances
INNER = ("env", "_env")  # where wrappers keep what they wrap
MOST, MOST_LAYERS = 1024, 32  # instances and wrappers that are looked at


class HostedInstances(Protocol):
    """Instances of a process, which vectorizers may have."""

    hook: Hook
    name: str

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def rows(self) -> List[InstanceRow]:
        """The instances that there are."""

    def where(self) -> Tuple[Optional[Tuple[str, int, str]], str, bool]:
        """The user's line that is running, first."""


def look_at_hosted(watched: HostedInstances, vectorizer: object) -> None:
    """Journal the instances that a new vectorizer has in several places, and in how many. Nothing
    of ours reaches the user.
    """
    try:
        places: Dict[int, int] = {}
        for each in _hosted(vectorizer):
            key = id(_innermost(each))
            places[key] = places.get(key, 0) + 1
        if len(places) == sum(places.values()):
            return
        for row in watched.rows():
            if places.get(row.key, 0) > 1:
                numbers = {"row": row.start // WIDTH - FIRST + 1, "number": places[row.key]}
                keys = {"page": watched.name, "by": type(vectorizer).__name__, **numbers}
                watched.tell("hosted-twice", frame=frame_of(watched.where()[0]), **keys)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _hosted(vectorizer: object) -> List[object]:
    """The instances of a vectorizer, as it has them; none where it has workers."""
    lists = (loaded.own(vectorizer, name) for name in PLACES)
    return next((list(each[:MOST]) for each in lists if type(each) in (list, tuple)), [])


def _innermost(env: object) -> object:
    """The instance in wrappers."""
    for _ in range(MOST_LAYERS):
        layers = (loaded.own(env, name) for name in INNER)
        inner = next((each for each in layers if each is not None), None)
        if inner is None:
            break
        env = inner
    return env
