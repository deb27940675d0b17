"""Several files replaced, all or none: also where the process is killed in between.

Each new file is written beside the old one, flushed to the disk, and put in its place by a rename.
A journal in the project's folder says which renames belong together, before the first of them: the
next fix completes what a killed one began, or takes it back where it had not begun to rename. The
kernel's lock on the journal keeps two fixes apart.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.remedies.patching import digest

JOURNAL = ".envdoctor-fix"
READY = "ready"  # the line after which renames begin
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Replacement:
    """One file: its path without links, the path of the new file beside it, and both digests."""

    path: str
    draft: str
    before: str
    after: str


def replace_all(root: Path, files: Mapping[Path, tuple[bytes, bytes]]) -> None:
    """Put new bytes in the place of old ones, {path: (old, new)}. Raises UsageError where a file is
    not as it was, or cannot be written; then none is changed.
    """
    every = [_replacement(path, *contents) for path, contents in files.items()]
    with _journal(root) as journal, _undisturbed():
        _complete(journal)
        _write_line(journal, json.dumps([asdict(each) for each in every]))
        try:
            for each, (_, new) in zip(every, files.values(), strict=True):
                _write_draft(each, new)
            _check_unchanged(every)
            _write_line(journal, READY)
            _rename(every)
        except BaseException as error:
            _take_back(every, [old for old, _ in files.values()])
            if not isinstance(error, OSError):
                raise
            raise UsageError(
                f"{error.filename or every[0].path}: {error.strerror}; nothing was changed"
            ) from error
        finally:
            _remove_drafts(every)


def complete(root: Path) -> tuple[str, ...]:
    """Complete what a killed fix began in this project, or take it back; sentences that say so."""
    if not (root / JOURNAL).exists():
        return ()
    with _journal(root) as journal, _undisturbed():
        return _complete(journal)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that end a program wait for what takes milliseconds."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _journal(root: Path) -> Iterator[int]:
    """The journal, open and locked; removed at the end."""
    path = root / JOURNAL
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; nothing was changed") from error
    try:
        _lock(handle, path)
        try:
            yield handle
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _lock(handle: int, path: Path) -> None:
    """Lock the journal. Raises UsageError where another fix has it, or had it just now."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_there = path.stat().st_ino == os.fstat(handle).st_ino
    except OSError:
        is_there = False
    if not is_there:
        raise UsageError(f"another fix is being written in {path.parent}; nothing was changed")


def _complete(journal: int) -> tuple[str, ...]:
    """Go through a journal that was left: rename what is ready, remove drafts that are not."""
    first, _, rest = _text(journal).partition("\n")
    every: list[Replacement] = []
    with suppress(ValueError, TypeError):  # it was killed while it wrote this line
        every = [Replacement(**each) for each in json.loads(first or "[]")]
    waiting = [each for each in every if _digest(each.path) == each.before]
    is_ready = rest.partition("\n")[0] == READY
    if is_ready:
        _rename(waiting)
    _remove_drafts(every)
    os.ftruncate(journal, 0)
    os.lseek(journal, 0, os.SEEK_SET)
    edited = [each for each in every if is_ready and _digest(each.path) != each.after]
    return (
        *(f"{each.path}: the fix that was killed is complete" for each in waiting if is_ready),
        *(f"{each.path}: the fix that was killed leaves it as you changed it" for each in edited),
    )


def _text(journal: int) -> str:
    size = os.fstat(journal).st_size
    return os.pread(journal, size, 0).decode("utf-8", "replace")


def _write_line(journal: int, line: str) -> None:
    os.write(journal, f"{line}\n".encode())
    os.fsync(journal)


def _replacement(path: Path, old: bytes, new: bytes) -> Replacement:
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    draft = os.path.join(folder, f".{name[:200]}.envdoctor-fix")
    return Replacement(real, draft, digest(old), digest(new))


def _write_draft(each: Replacement, new: bytes) -> None:
    """The new file, with the permissions, the owner and the attributes of the old one."""
    state = os.stat(each.path)
    with suppress(FileNotFoundError):  # of a fix that was killed
        os.unlink(each.draft)
    handle = os.open(each.draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(new)
        file.flush()
        if (state.st_uid, state.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, state.st_uid, state.st_gid)
        os.fchmod(handle, state.st_mode & 0o7777)
        _copy_attributes(each.path, handle)
        os.fsync(handle)


def _copy_attributes(path: str, handle: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    for name in os.listxattr(path):
        with suppress(OSError):  # of the system's own, which it gives each file
            os.setxattr(handle, name, os.getxattr(path, name))


def _check_unchanged(every: Sequence[Replacement]) -> None:
    for each in every:
        if _digest(each.path) != each.before:
            raise OSError(errno.EBUSY, "it has changed since it was examined", each.path)


def _rename(every: Sequence[Replacement]) -> None:
    for each in every:
        os.replace(each.draft, each.path)
    for folder in dict.fromkeys(os.path.dirname(each.path) for each in every):
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _take_back(every: Sequence[Replacement], old: Sequence[bytes]) -> None:
    """Undo the renames that were done before one failed. Raises UsageError."""
    done = [(each, data) for each, data in zip(every, old, strict=True) if _is_new(each)]
    for each, data in done:
        try:
            _write_draft(each, data)
            os.replace(each.draft, each.path)
        except OSError as error:
            raise UsageError(
                f"{each.path} is changed, other files are not: {error.strerror}"
            ) from error


def _is_new(each: Replacement) -> bool:
    return each.before != each.after and _digest(each.path) == each.after


def _remove_drafts(every: Sequence[Replacement]) -> None:
    for each in every:
        with suppress(OSError):
            os.unlink(each.draft)


def _digest(path: str) -> str:
    try:
        return digest(Path(path).read_bytes())
    except OSError:
        return ""
