"""torchrl's LazyMemmapStorage: tensors in files that are mapped; without a scratch_dir in
/dev/shm, unlinked at once.
"""

from __future__ import annotations

import gc
import os
import signal
from typing import Callable, Dict, Optional

from envdoctor.probe.adapters.torchrl import storages as tensordicts
from envdoctor.probe.replay import files as leavings
from envdoctor.probe.replay.storages import Transition

NAME, CLASS, PLACE, COPIES = "torchrl-memmap", "LazyMemmapStorage", "shared", True
missing, enter, parts = tensordicts.missing, tensordicts.enter, tensordicts.parts

SLOTS = 8  # of the storages whose files are looked for


def build(capacity: int, environment: object) -> tensordicts.Tensors:
    """A TensorDictReplayBuffer around it."""
    return tensordicts.opened(
        lambda data: data.LazyMemmapStorage(capacity), capacity, environment, COPIES
    )


def leave(environment: object, transition: Transition, folder: str) -> Dict[str, Dict[str, int]]:
    """{how: {file: bytes}} of what storages with a scratch_dir in `folder` leave: dropped; dropped
    with auto_cleanup=True; and the same when the process is killed.
    """
    kept, cleaned, killed = (os.path.join(folder, name) for name in ("kept", "cleaned", "killed"))
    _use(environment, transition, scratch_dir=kept)
    leftovers = {"dropped": leavings.files(kept)}
    try:
        _use(environment, transition, scratch_dir=cleaned, auto_cleanup=True)
    except TypeError:  # it came with TorchRL 0.11
        return leftovers
    gc.collect()  # its buffer is part of a reference cycle
    leftovers["dropped with auto_cleanup=True"] = leavings.files(cleaned)
    if not hasattr(os, "fork"):
        return leftovers
    leavings.in_child(
        lambda: _use(environment, transition, scratch_dir=killed, auto_cleanup=True, end=_die)
    )
    leftovers["killed with auto_cleanup=True"] = leavings.files(killed)
    return leftovers


def _use(
    environment: object,
    transition: Transition,
    end: Optional[Callable[[], None]] = None,
    **arguments: object,
) -> None:
    store = tensordicts.opened(
        lambda data: data.LazyMemmapStorage(SLOTS, **arguments), SLOTS, environment, COPIES
    )
    store.add(store.pack(transition))
    if end is not None:
        end()
    store.close()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
