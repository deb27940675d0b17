"""Holders of what grows: two looks at the lengths of containers, and the way to the longer ones.

The first look is written to a file, so that nothing of it stays in the process. No code of the
user's runs, and nothing is changed: what grows is not cut back here.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from array import array
from collections import deque
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from envdoctor.model import page
from envdoctor.probe.growth import containers
from envdoctor.probe.growth.chains import CACHE, chain, is_a, module_of, type_name
from envdoctor.probe.growth.holders import HolderSearch
from envdoctor.probe.live.meters import calls

if TYPE_CHECKING:
    from types import FrameType

SHORTEST = 32  # elements: what grows has grown for a while when it is looked for
#: Elements that a container has at the first look, at least: one that was not there then is filled
#: for an episode. On a busy machine the first look comes after fewer calls than on an idle one.
FIRST = 8
LEAST = 16  # elements that came between the looks
SECONDS = 3.0  # of CPU, for the ways to all of them
MOST = 6
RESOURCES = ("descriptors", "threads", "processes", "segments")  # as containers name them
STEADY = 0.5  # of the length that the rise between the looks lets expect
BOUNDS = ("maxlen", "maxsize", "max_size", "capacity", "buffer_size", "replay_buffer_size", "size")
RECORDS = (
    *("threading", "multiprocessing", "subprocess", "weakref", "_weakrefset", "concurrent"),
    "torch.multiprocessing",  # has a reference to each tensor that came from another process
)
PLAIN = ("builtins", "collections", "types", "functools")
NAME = "__name__"
SCRIPTS = {"__main__", "__mp_main__"}  # the module of the script, and its name in a spawned worker
OPTIMIZED = 1  # flag of code whose variables are not its globals


def look(instances: Any) -> None:
    """Take the first look, or the second, which journals what grew since."""
    began = time.monotonic()
    numbers = instances.page.numbers
    calls(numbers)
    file = os.path.join(instances.hook.folder, instances.name + ".look")
    unfound = 0
    lengths = array("q", [numbers[page.AT_RESETS], numbers[page.AT_STEPS]])
    own = {id(held) for owner in (instances, instances.sites) for held in vars(owner).values()}
    variables, is_second = _variables(), os.path.exists(file)
    shortest = SHORTEST if is_second else FIRST
    for address, length in containers.lengths(each.value for each in variables.values()):
        if length >= shortest and address not in own:
            lengths.extend((address, length))
    if is_second:
        before = array("q")
        with open(file, "rb") as stored:
            before.frombytes(stored.read())
        os.unlink(file)
        unfound = _tell(instances, before, lengths, variables)
    else:
        with open(file, "wb") as stored:
            stored.write(lengths.tobytes())
    instances.tell("looked", seconds=time.monotonic() - began, unfound=unfound)
    numbers[page.LOOKED] += 1


def _tell(
    instances: Any, before: Sequence[int], now: Sequence[int], variables: Dict[int, _Variable]
) -> int:
    """Journal who holds what grew; of how many containers the time did not suffice to say it."""
    resets, steps = now[0] - before[0], now[1] - before[1]
    grown = _grown(dict(_pairs(before)), dict(_pairs(now)), steps, now[1])
    if not grown:
        return 0
    values = [each.value for each in variables.values()]
    targets = containers.at([address for address, _, _ in grown], values)
    often, between = min(resets, steps) / page.OFTEN, {"resets": resets, "steps": steps}
    grown = [
        (address, rise, length)
        for address, rise, length in grown
        if rise >= often or _has_resources(targets.get(address))
    ][:MOST]
    ways, unfound = _Ways({address: targets.get(address) for address, _, _ in grown}, variables), 0
    try:
        for address, rise, length in grown:
            keys = ways.describe(address, instances)
            if keys:
                instances.tell("holder", grew=rise, length=length, **between, **keys)
            unfound += not keys and not ways.complete
        return unfound
    finally:
        ways.clear()


def _pairs(lengths: Sequence[int]) -> Iterator[Tuple[int, int]]:
    return zip(lengths[2::2], lengths[3::2])


def _has_resources(target: object) -> bool:
    """Return whether what was put into a container last keeps a descriptor, a thread or the like,
    of which few are too many.
    """
    return target is not None and containers.kept_by(containers.last(target)) in RESOURCES


def _grown(
    before: Dict[int, int], now: Dict[int, int], steps: int, all_steps: int
) -> List[Tuple[int, int, int]]:
    """(address, rise, length) of containers that got longer, and that are as long as they are
    because they always did: what is filled and emptied again is shorter.
    """
    grown = []
    for address, length in now.items():
        rise = length - before.get(address, length)
        share = rise / steps * all_steps if steps else rise
        if rise >= LEAST and length >= STEADY * share:
            grown.append((address, rise, length))
    return sorted(grown, key=_rise, reverse=True)


def _rise(container: Tuple[int, int, int]) -> int:
    return container[1]


class _Variable(NamedTuple):
    """A variable of a running function, and what it refers to."""

    value: object
    module: str
    function: str
    name: str


def _is_record(text: str) -> bool:
    """Return whether a way begins in a module that records what others do."""
    return any((text + ".").startswith(each + ".") for each in RECORDS)


class _Ways(HolderSearch):
    """The ways from modules, classes and variables of running functions to some containers."""

    def __init__(self, targets: Dict[int, object], variables: Dict[int, _Variable]) -> None:
        self.targets, self.variables = targets, variables
        values = [each.value for each in variables.values()]
        super().__init__(targets.values(), SECONDS, values if targets else ())

    def describe(self, address: int, instances: object) -> Optional[Dict[str, object]]:
        """A container as the journal has it; None for one that the standard library keeps."""
        target = self.targets.get(address)
        path = [] if target is None else self.path(target)
        if not path:
            return None
        text = self._written(path)
        cached = any(type(referrer) is CACHE for referrer in gc.get_referrers(target))
        if _is_record(text) or cached:
            return None
        side, owner = _side(path, self.variables.get(id(path[0])), instances)
        element = containers.last(target)
        return {
            "chain": text,
            "type": type_name(type(target)),
            "element": "" if element is None else type_name(type(element)),
            "keeps": containers.kept_by(element),
            "most": _bound(path, target),
            "side": side,
            "owner": owner,
        }

    def _written(self, path: Sequence[object]) -> str:
        variable = self.variables.get(id(path[0]))
        if variable is None:
            return chain(path, self._named.get(id(path[0]), ""))
        text = "%s() %s" % (variable.function, variable.name)
        return text if len(path) == 1 else text + chain(path).partition(">")[2]

    def clear(self) -> None:
        """Let go of what was found."""
        self.targets.clear()
        self.variables.clear()
        self._holders.clear()


def _variables() -> Dict[int, _Variable]:
    """{id of the value: variable} of running functions."""
    variables: Dict[int, _Variable] = {}
    frames: List[FrameType] = list(sys._current_frames().values())
    while frames:
        frame = frames.pop()
        if frame.f_back is not None:
            frames.append(frame.f_back)
        module = str(frame.f_globals.get(NAME))
        if frame.f_code.co_flags & OPTIMIZED and not module.startswith("envdoctor."):
            held = frame.f_locals
            for name, value in list(held.items()):
                if type(value).__module__ not in PLAIN or is_a(value, containers.KINDS):
                    variable = _Variable(value, module, frame.f_code.co_name, name)
                    variables.setdefault(id(value), variable)
            if type(held) is dict and sys.getrefcount(held) <= 3:
                held.clear()  # a copy, which would keep what the variables have now
        del frame  # our own would keep itself, and its callers
    return variables


def _side(path: Sequence[object], variable: Optional[_Variable], instances: Any) -> Tuple[str, str]:
    """Return whose a container is, and the class or the module: of the last object on the way that
    is known, or else of where the way begins.
    """
    for obj in reversed(path[:-1]):
        kind = type(obj)
        name = type_name(kind)
        if instances.follows(obj):
            return "environment", name
        if any(module_of(each) in instances.vectorizers for each in kind.__mro__):
            return "vectorizer", name
        if instances.wraps(kind):
            return "wrapper", name
        if any(module_of(kind).startswith(trainer) for trainer in instances.trainers):
            return "trainer", name
    if variable is not None:
        module = variable.module
        return ("trainer" if module not in instances.modules() or module == "__main__" else ""), (
            "%s.%s()" % (module, variable.function)
        )
    root = path[0]
    if is_a(root, ModuleType) and root.__name__ in SCRIPTS and not instances.modules() & SCRIPTS:
        return "trainer", str(root.__name__)
    module = module_of(root) if is_a(root, type) else str(getattr(root, "__name__", ""))
    if instances.is_kind(root) or (module in instances.modules() and module != "__main__"):
        return "environment", module
    return "", module


def _bound(path: Sequence[object], target: Any) -> Optional[int]:
    """Return how long it may become, as the container or what has it says."""
    if is_a(target, deque):
        most: Optional[int] = target.maxlen
        return most
    holder = next((obj for obj in reversed(path[:-1]) if type(obj) is not dict), None)
    known: Any = getattr(holder, "__dict__", None)
    for name in BOUNDS if type(known) is dict else ():
        value = known.get(name)
        if type(value) is int and value >= len(target):
            return value
    return None
