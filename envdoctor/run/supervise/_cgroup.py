"""Memory according to the control group of this process; both versions of the interface."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 60  # version 1 writes a huge number without a limit


def available() -> int | None:
    """Bytes that the group may still take, and each group around it, page cache counted as free;
    None without a limit.
    """
    free = [
        ceiling - used + _counter(folder / "memory.stat", cache)
        for controller, limit, usage, cache in (
            ("", "memory.max", "memory.current", "file"),
            ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"),
        )
        for folder in _folders(controller)
        if (ceiling := _number(folder / limit)) is not None
        and (used := _number(folder / usage)) is not None
        and ceiling < UNLIMITED
    ]
    return min(free, default=None)


def cores() -> float | None:
    """Return how many cores' time the group may use, and each group around it; None without a
    limit.
    """
    shares = [
        int(quota) / int(period)
        for folder in _folders("")
        for line in _lines(folder / "cpu.max")[:1]
        for quota, _, period in [line.partition(" ")]
        if quota.isdigit() and period.isdigit()
    ]
    return min(shares, default=None)


def oom_kills() -> int:
    """Return how many processes the kernel killed for memory in this group; on the whole machine
    where the group does not count.
    """
    place = _place_of_kills()
    return _counter(place, "oom_kill") if place is not None else 0


@cache
def _place_of_kills() -> Path | None:
    """The file that counts them. It is asked for at each scenario, and the group stays the same."""
    places = (
        _folder("") / "memory.events",
        _folder("memory") / "memory.oom_control",
        Path("/proc/vmstat"),
    )
    return next((place for place in places if place.exists()), None)


def _folders(controller: str) -> list[Path]:
    """The group's folder, and those of the groups around it: a job scheduler limits the job, and
    the group is a step of it.
    """
    folder, top = _folder(controller), ROOT / controller
    return [folder, *(each for each in folder.parents if each.is_relative_to(top))]


def _folder(controller: str) -> Path:
    """The group's folder. In a container /proc/self/cgroup may name a path that only the host
    sees: then the root.
    """
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            folder = ROOT / controller / path.lstrip("/")
            return folder if folder.is_dir() else ROOT / controller
    return ROOT / controller


def _number(path: Path) -> int | None:
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _counter(path: Path, key: str) -> int:
    for line in _lines(path):
        words = line.split()
        if words[0] == key:
            return int(words[1])
    return 0


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
