"""The worker processes of a manager, as multiprocessing knows them."""

from __future__ import annotations

import multiprocessing
import multiprocessing.process
import os
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Set, Tuple

from envdoctor.probe.journal import Journal
from envdoctor.probe.system import allocator, kernel, nvidia
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess


# Seconds that workers get to end where a fault was put in; many import much, and all of that has to
# go.
END_GRACE = 10.0
STILL = 0.15  # seconds in which none of them runs
LOOK_EVERY = 0.03  # seconds
JOIN_EVERY = 0.05  # seconds
JOIN_GRACE = 0.5  # seconds that a worker gets to be gone once something raised or was closed

#: PYTHONHASHSEED of workers that are started by exec: unlike the probe's, because a user's
#: processes hash differently, too.
HASH_SEEDS: Dict[Optional[str], str] = {"forkserver": "1", "spawn": "1"}
OWN_HASH_SEED = os.getenv("PYTHONHASHSEED")

_reported: Set[int] = set()
# Multiprocessing forgets a process as soon as it is joined; held no longer than until its end
# is reported.
_launched: List[object] = []
#: Workers that are not multiprocessing's, each with `pid`, `exitcode` and `join()`.
others: List[object] = []


def prepare(start_method: Optional[str], preloaded: Sequence[str] = ()) -> None:
    """Start what multiprocessing keeps for good (its shared heap, its tracker, its fork server)
    before anything is read: it is not a leftover. A fork server that is new imports what is to be
    `preloaded`.
    """
    others.clear()
    hash_seed = HASH_SEEDS.get(start_method, OWN_HASH_SEED)
    if hash_seed is not None:
        os.environ["PYTHONHASHSEED"] = hash_seed
    if start_method is not None:
        from multiprocessing import heap

        heap.BufferWrapper(1)
    if start_method in ("forkserver", "spawn"):
        from multiprocessing import resource_tracker

        allocator.lend_to_workers()
        resource_tracker.ensure_running()
    if start_method == "forkserver":
        from multiprocessing import forkserver

        if preloaded:
            forkserver.set_forkserver_preload(list(preloaded))
        forkserver.ensure_running()


def children() -> List[Any]:
    """The process objects that multiprocessing still holds. Asking `active_children()` would
    reap them, and hide zombies.
    """
    return [*getattr(multiprocessing.process, "_children", ()), *others]


def wait_until_still() -> None:
    """Until all workers have ended, or none has run for a while: what had to end has ended
    then, however busy the machine is.
    """
    waiting, last, still = Deadline(END_GRACE), "", 0.0
    while still < STILL and not waiting.passed:
        states, pulse = _look_at_workers()
        if not states.strip("ZX"):
            return
        still = still + LOOK_EVERY if pulse == last and not set(states) & set("RD") else 0.0
        last = pulse
        time.sleep(LOOK_EVERY)


def _look_at_workers() -> Tuple[str, str]:
    """The states of all workers as the kernel calls them, one letter each, and what changes
    whenever one of them runs.
    """
    folders = ["/proc/%d/" % process.pid for process in children() if process.pid]
    stats = [kernel.read(folder + "stat").rpartition(")")[2].split() for folder in folders]
    run_times = [" ".join(stat[11:13]) for stat in stats] + [
        kernel.read(folder + "schedstat") for folder in folders
    ]
    return "".join(stat[0] for stat in stats if stat), " ".join(run_times)


def _join(process: BaseProcess) -> None:
    """Wait for a worker that is about to end."""
    waiting = Deadline(JOIN_GRACE)
    while process not in others and process.exitcode is None and not waiting.passed:
        process.join(JOIN_EVERY)


def zombies() -> int:
    """Return the number of workers that have ended and were not waited for."""
    return _look_at_workers()[0].count("Z")


def tell(journal: Journal) -> None:
    """Journal the pids of the manager's workers."""
    _launched[:] = children()
    started = sorted(children(), key=lambda process: tuple(getattr(process, "_identity", ())))
    journal.write("workers", pids=[process.pid for process in started if process.pid])


def tell_memory(journal: Journal) -> None:
    """Journal what each worker holds now."""
    from envdoctor.probe.system import worker_memory

    journal.write(
        "fact",
        key="worker-memory",
        value=worker_memory.read(process.pid for process in children() if process.pid),
    )
    _tell_gpu_memory(journal)


def _tell_gpu_memory(journal: Journal) -> None:
    """Journal what each worker holds on each GPU, where the driver tells."""
    if nvidia.missing():
        return
    try:
        held = nvidia.held(process.pid for process in children() if process.pid)
        known = nvidia.devices() if held else []
    except Exception:  # the sensor says why
        return
    value = [
        dict(gpu=on.number, name=on.name, total=on.total, free=on.free, pid=pid, used=used)
        for pid, used_on in held.items()
        for on in known
        for used in [used_on.get(on.number)]
        if used is not None
    ]
    journal.write("fact", key="gpu-memory", value=value)


def tell_exits(journal: Journal) -> None:
    """Journal how workers ended, each once. A worker that is about to end gets a moment."""
    processes = children()
    processes += [
        process
        for process in _launched
        if process not in processes and not getattr(process, "_closed", False)
    ]
    # Else it grows, in the process whose growth is measured.
    _reported.intersection_update(process.pid for process in processes)
    for process in processes:
        if process.pid in _reported:
            continue
        if process.exitcode is None:
            _join(process)
        if process.exitcode is not None:
            _reported.add(process.pid)
            journal.write("worker-exit", pid_of_worker=process.pid, code=process.exitcode)
    _launched[:] = [process for process in processes if process.pid not in _reported]
