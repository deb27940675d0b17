"""Search for the attribute of an environment that leads to an object: from the environment down,
which is short where the heap is large.
"""

from __future__ import annotations

import gc
import types
from collections import deque
from typing import Callable, Dict, List

from envdoctor.probe.growth import chains, holders

MOST = 200_000  # objects that are looked at
# What they hold is not the environment's alone.
SHARED = (type, types.ModuleType, types.FrameType)


def holder(environment: object, reference: Callable[[], object]) -> str:
    """`<Arm>._returned[3]`; what else holds it, where the environment does not; empty where
    that is not known.
    """
    gc.unfreeze()  # see settle.leave_out_what_is_there
    target = reference()
    if target is None:
        return ""
    path = _path(environment, target)
    if path:
        return chains.chain(path)
    chain = holders.holder_chain(reference)
    return "" if chain in (None, holders.NATIVE) else str(chain)


def _path(root: object, target: object) -> List[object]:
    """The objects from one to the other, each of which refers to the next; empty if no such
    path exists.
    """
    came: Dict[int, object] = {id(root): None}
    known: List[object] = [root]  # so that no id is given twice
    waiting = deque([root])
    while waiting and len(known) < MOST:
        holding = waiting.popleft()
        for held in gc.get_referents(holding):
            if id(held) in came or isinstance(held, SHARED):
                continue
            came[id(held)] = holding
            if held is target:
                return _back(held, came)
            known.append(held)
            waiting.append(held)
    return []


def _back(held: object, came: Dict[int, object]) -> List[object]:
    path = [held]
    while came[id(path[0])] is not None:
        path.insert(0, came[id(path[0])])
    return path
