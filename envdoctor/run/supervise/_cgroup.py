"""What the control group of this process says about memory; both versions of the interface."""

from __future__ import annotations

from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 60  # version 1 writes a huge number without a limit


def available() -> int | None:
    """Bytes that the group may still take, its page cache counted as free; None without a limit."""
    for folder, limit, usage, cache in (
        (_folder(""), "memory.max", "memory.current", "file"),
        (_folder("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"),
    ):
        ceiling, used = _number(folder / limit), _number(folder / usage)
        if ceiling is not None and used is not None and ceiling < UNLIMITED:
            return ceiling - used + _counter(folder / "memory.stat", cache)
    return None


def cores() -> float | None:
    """How many cores' time the group may use; None without a limit."""
    for line in _lines(_folder("") / "cpu.max"):
        quota, _, period = line.partition(" ")
        return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None
    return None


def oom_kills() -> int:
    """How many processes the kernel killed for memory in this group; on the whole machine where
    the group does not count.
    """
    places = (
        _folder("") / "memory.events",
        _folder("memory") / "memory.oom_control",
        Path("/proc/vmstat"),
    )
    for place in places:
        if place.exists():
            return _counter(place, "oom_kill")
    return 0


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
