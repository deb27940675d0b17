"""macOS, and every other system without /proc: what psutil can tell; where it cannot, an answer
that does no harm.

Written from the manuals and tried with doubles, not on a machine of that kind: see `missing`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

import psutil  # type: ignore[import-untyped, unused-ignore]  # with or without types-psutil

from envdoctor.model.waits import Wait

MAX_TEXT = 200  # characters of a command line


def missing() -> dict[str, str]:
    """Return what cannot be seen from outside here, with reasons, for DOC001."""
    return {
        "shared memory of the dead": "only Linux lists it; what an environment leaves of it stays",
        "orphans": (
            "only Linux gives them to a subreaper; here they are found by session and by their"
            " environment, if at all"
        ),
        "memory that processes share": (
            "only Linux tells it; the ceiling of memory counts it once for each process"
        ),
        "the kernel's kills for memory": "only Linux counts them; they look like SIGKILL",
        "how a worker ended that was not waited for": "only Linux tells it of others' children",
    }


def describe(pid: int) -> str:
    """The command line of a process, or the name of one that has none; empty when it is gone."""
    try:
        process = psutil.Process(pid)
        return (" ".join(process.cmdline()) or process.name())[:MAX_TEXT]
    except psutil.Error:
        return ""


def is_running(pid: int) -> bool:
    """Return True if a process exists and is more than a zombie."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def exit_code(pid: int) -> int | None:  # noqa: ARG001
    """Nothing tells here how a child of another process ended."""
    return None


def pulse(
    pids: Iterable[int],
    besides: Collection[str] = (),  # noqa: ARG001
) -> tuple[str, ...] | None:
    """Return values that change if one of some processes runs."""
    times = []
    for pid in pids:
        try:
            times.append(f"{pid} {psutil.Process(pid).cpu_times()}")
        except psutil.Error:
            continue
    return tuple(times)


def ticking(pids: Iterable[int], known: Collection[str] = ()) -> dict[str, int]:  # noqa: ARG001
    """Nothing tells here which threads sleep for a time."""
    return {}


def scheduled(pids: Iterable[int]) -> dict[str, tuple[int, int]]:  # noqa: ARG001
    """Nothing tells here for how long a thread was ready to run while others did."""
    return {}


def transferred(pids: Iterable[int]) -> int:  # noqa: ARG001
    """Nothing tells here."""
    return 0


def wakes_at(
    pids: Iterable[int],  # noqa: ARG001
    main: int | None,  # noqa: ARG001
    since: float,  # noqa: ARG001
) -> float | None:
    """Nothing tells here what a thread waits for."""
    return None


def wait_for_locks(pid: int) -> bool:  # noqa: ARG001
    """Nothing tells here what a thread waits for."""
    return False


def blocked(pids: Iterable[int]) -> tuple[Wait, ...]:  # noqa: ARG001
    """Nothing tells here what a thread waits for."""
    return ()


def resident(pids: Iterable[int]) -> int:
    """Bytes of memory that processes hold, each for itself."""
    total = 0
    for pid in pids:
        try:
            total += psutil.Process(pid).memory_info().rss
        except psutil.Error:
            continue
    return total


proportional = resident  # only Linux tells what is shared


def available_memory() -> int:
    """Bytes that can still be taken on this machine."""
    return int(psutil.virtual_memory().available)


def oom_kills() -> int:
    """Nothing counts them here."""
    return 0


def reserve(path: str, size: int) -> bool:  # noqa: ARG001
    """It cannot be done here: on a full disk, what is appended is lost."""
    return True


def catches(pid: int, number: int) -> bool:  # noqa: ARG001
    """Only of a session's leader, which the probe is, and which registers its handler before
    anything else.

    Nothing tells for the others, and to a process without a handler the signal is death.
    """
    try:
        return os.getsid(pid) == pid
    except OSError:
        return False


def shared_memory() -> dict[str, str]:
    """Shared memory cannot be listed here."""
    return {}


def shared_memory_of(pids: Iterable[int]) -> set[str]:  # noqa: ARG001
    """Shared memory cannot be listed here."""
    return set()


def remove_shared_memory(name: str) -> None:
    """Shared memory cannot be listed here, so no name can be removed."""


def all_pids() -> list[int]:
    """Every process of the machine."""
    return list(psutil.pids())
