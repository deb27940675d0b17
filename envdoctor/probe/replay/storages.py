"""Replay storages that a subject's transitions are kept in.

A storage module offers

    NAME            as users write it, "torchrl-list"
    CLASS           the class that keeps the transitions
    PLACE           where its bytes lie: "memory", or "shared" (a file in /dev/shm: memory, and
                    bounded by that file system)
    COPIES          whether it copies what it is given; else it keeps references
    missing()       "" or why it cannot be used in this interpreter; it must not import an
                    expensive framework
    enter()         imports the framework, so that no reading is charged for it
    parts(sizes)    {part: bytes} of one transition, from the `Sizes` of the subject's spaces
                    (replay/sizes.py)
    build(capacity, environment)
                    the Store

and stands beside the managers of its framework, in probe/adapters/.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

if TYPE_CHECKING:
    from types import ModuleType

#: The package of those who know one framework each.
ADAPTERS = "envdoctor.probe.adapters"


class Transition(NamedTuple):
    """One step of the subject. `number` counts them from 0, `episode` the resets before it."""

    number: int
    episode: int
    observation: object
    action: object
    reward: float
    next_observation: object
    terminated: bool
    truncated: bool


class Sampled(NamedTuple):
    """One transition that a framework's own sampler returned: its number, and {key: value} as
    `form` has them, without what the sampler marks itself.
    """

    number: int
    form: Dict[str, object]


class Store:
    """A storage that is open. What is read back has the keys and types of `form`."""

    def take(self, observation: object) -> object:
        """An observation as the framework's loop holds it between two steps."""
        return observation

    def pack(self, transition: Transition) -> object:
        """A transition as the framework's loop hands it over."""
        raise NotImplementedError

    def form(self, packed: Any) -> Dict[str, object]:
        """Return what is to be read back of it, {key: value}."""
        raise NotImplementedError

    def add(self, packed: Any) -> None:
        """Keep one."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of transitions that it keeps now."""
        raise NotImplementedError

    def read(self, slot: int) -> Dict[str, object]:
        """Return what it keeps in a slot, counted from 0 in the order of its own memory; transition
        n lies in slot n % capacity.
        """
        raise NotImplementedError

    def slices(self, _length: int, _count: int) -> Optional[List[List[Sampled]]]:
        """Stretches of episodes as the framework's own sampler returns them; None where it has no
        such sampler for this storage.
        """
        return None

    def leaves(self, _slots: Sequence[int]) -> Dict[str, List[object]]:
        """{key: the very objects that are kept} in some slots, to look whether they share
        memory or hold a graph.
        """
        raise NotImplementedError

    def detach(self) -> None:
        """Let what is kept forget how it was computed."""

    def close(self) -> None:
        """Let go of everything."""
        raise NotImplementedError


def _storage_modules() -> Iterator[str]:
    """The modules of the adapters whose names begin with `storage`."""
    adapters = importlib.import_module(ADAPTERS)
    for framework in pkgutil.iter_modules(adapters.__path__, ADAPTERS + "."):
        folder = importlib.import_module(framework.name).__path__ if framework.ispkg else ()
        for module in pkgutil.iter_modules(folder, framework.name + "."):
            if module.name.rpartition(".")[2].startswith("storage_"):
                yield module.name


@functools.lru_cache(maxsize=None)
def modules() -> Dict[str, ModuleType]:
    """Every storage by name."""
    loaded = [importlib.import_module(name) for name in _storage_modules()]
    return {module.NAME: module for module in sorted(loaded, key=lambda module: str(module.NAME))}


def missing(name: str) -> str:
    """Return why a storage cannot be used here, or "" where it can; with the import of its
    framework, which may fail.
    """
    module = modules()[name]
    reason = str(module.missing())
    if reason:
        return reason
    try:
        module.enter()
    except Exception as error:
        return "its framework cannot be imported: %s: %s" % (type(error).__name__, str(error)[:200])
    return ""
