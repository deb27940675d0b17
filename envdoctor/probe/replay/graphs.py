"""The graph of computations that stored tensors keep: PyTorch's, where it is loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Dict, List

from envdoctor.probe.replay.storages import Store

if TYPE_CHECKING:
    from torch import Tensor

MOST = 20000  # nodes that are counted


def attached(store: Store, slots: List[int]) -> Dict[str, int]:
    """{key: nodes of the graph behind its last entry} of what requires a gradient."""
    if "torch" not in sys.modules:
        return {}
    counts = {}
    for key, leaves in store.leaves(slots).items():
        holding = [leaf for leaf in leaves if getattr(leaf, "requires_grad", False)]
        if holding:
            counts[key] = nodes(holding[-1])
    return counts


def nodes(tensor: Tensor) -> int:
    """Count the computations that a tensor remembers."""
    visited: Dict[int, object] = {}
    waiting = [tensor.grad_fn]
    while waiting and len(visited) < MOST:
        node = waiting.pop()
        if node is None or id(node) in visited:
            continue
        visited[id(node)] = node  # held, so that no other gets its address
        waiting.extend(following for following, _ in node.next_functions)
    return len(visited)
