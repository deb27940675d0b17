"""Calls of a training that hang because of what a fork copies: locks without their holders, and
instances without their threads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training import THREAD, Standstill, Training, TrainingProcess
from envdoctor.model.training_calls import HeldLock, LongCall, LostThread
from envdoctor.model.training_instances import Instances
from envdoctor.model.waits import LOCK, Wait
from envdoctor.rules.evidence.stacks import parse_stacks
from envdoctor.rules.evidence.training import of
from envdoctor.rules.wording.leftovers import listing
from envdoctor.rules.wording.waits import chain, stacks_of

FORK = "fork"
INSTEAD = "start the workers with spawn or forkserver, or before any thread is started"
#: The function, and the file, in which a thread waits until another one wakes it.
WAIT, LIBRARY = "wait", "/threading.py"
#: The libraries of OpenMP, of which PyTorch has one.
OPENMP = re.compile(r"lib[gi]?omp\d*\b")


@dataclass(frozen=True)
class ForkCause:
    """The reason for which a call hangs in a forked process, in `words`, and the cure."""

    words: str
    remedy: str


def fork_cause(training: Training, call: LongCall, instance: Instances) -> ForkCause | None:
    """The cause of a call that none of its process's threads can end; None where the fork is not
    known to be it.
    """
    process = training.process(call.pid)
    if process is None or process.started != FORK or not wait_for_own_locks(call.waits, call.pid):
        return None
    parent = _parent(training, process)
    if call.held is not None:
        return _never_released(training, process, call.held, "it")
    lost = [thread.name for thread in process.lost_threads if thread.name]
    if instance.is_forked_copy:
        place = f" at {instance.place}" if instance.place else ""
        threads = f", which copied none of its threads ({listing(lost)})" if lost else ""
        return ForkCause(
            f"the instance was made{place} in {parent}, before the fork{threads}",
            f"make {instance.class_name} in the process that plays it, or start that with spawn: a"
            " fork copies the instance, and no thread.",
        )
    if lost and _waits_for_another(training, call, process):
        return ForkCause(
            f"it waits for another thread and has none: the threads of {parent} are not in a fork"
            f" ({listing(lost)})",
            f"start the threads that {instance.class_name} needs in the process that plays it; or"
            f" {INSTEAD}.",
        )
    if process.lost_native:
        return _in_library(call.waits, process.lost_native, parent)
    return None


def _in_library(waits: Sequence[Wait], lost: int, parent: str) -> ForkCause | None:
    """The cause of a process with one thread, which waits within a library in C that has threads of
    its own: what waits for a lock of Python's does so in the C library or in the interpreter.
    """
    if len(waits) != 1 or not OPENMP.match(waits[0].library):
        return None
    return ForkCause(
        f"it waits in {waits[0].library} for other threads and has none:"
        f" {of(lost, 'thread')} of libraries in C that {parent} had {'is' if lost == 1 else 'are'}"
        " not in a fork",
        f"{INSTEAD}; or let the parent have one thread until then: torch.set_num_threads(1), or the"
        " variable OMP_NUM_THREADS=1.",
    )


def standstill_cause(training: Training, still: Standstill) -> ForkCause | None:
    """The lock for which a process waits that is stuck, or that the trainer waits for; None where
    none was held when the process was forked.
    """
    awaited = still.stuck or [each.pid for each in chain(still.waits, training.pid)]
    for held in still.held:
        process = training.process(held.pid)
        own = [each for each in still.waits if each.pid == held.pid]
        if held.pid in awaited and process is not None and wait_for_own_locks(own, held.pid):
            return _never_released(training, process, held, f"pid {held.pid}")
    return None


def _never_released(
    training: Training, process: TrainingProcess, held: HeldLock, subject: str
) -> ForkCause:
    return ForkCause(
        f"{subject} waits for the lock {held.lock}, which {_thread(held.holder)} of"
        f" {_parent(training, process)} held when the process was forked",
        f"{INSTEAD}: a lock that another thread holds at a fork stays held in the child.",
    )


def _parent(training: Training, process: TrainingProcess) -> str:
    return "the trainer" if process.parent == training.pid else f"pid {process.parent}"


def wait_for_own_locks(waits: Sequence[Wait], pid: int) -> bool:
    """Return whether each thread of a process waits for what only that process could give."""
    own = (each.on == LOCK and each.known and each.peers == (pid,) for each in waits)
    return bool(waits) and all(own)


def _waits_for_another(training: Training, call: LongCall, process: TrainingProcess) -> bool:
    """Return whether the only thread waits until another one wakes it, and the process started
    none itself.
    """
    threads = parse_stacks(stacks_of(call.stacks, call.pid))
    started = any(site.kind == THREAD and site.pid == call.pid for site in training.sites)
    if len(threads) != 1 or started or process.thread_raised is not None:
        return False
    inner = threads[0][0]
    return inner.function == WAIT and inner.file.replace("\\", "/").endswith(LIBRARY)


def _thread(thread: LostThread) -> str:
    """`the thread 'saver'`."""
    return f"the thread '{thread.name}'" if thread.name else "another thread"
