"""The folder of a sweep: one result a key, whole or not there, never twice; any driver on any
machine that sees the folder can go on with it.

`results/KEY.json` is published last, by a link, which fails where a result is there already.
`claims/KEY.json` names the driver that is at it. `work/` has a directory for each driver.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Self

from envdoctor.errors import UsageError
from envdoctor.run.supervise import guard
from envdoctor.run.supervise.owner import (
    ALIVE,
    DEAD,
    MARK,
    Owner,
    is_abandoned,
    owner_of,
    read_mark,
    started,
    write_mark,
)
from envdoctor.saved.lines_v1 import UnreadableError
from envdoctor.sweep.plans import Examination, Identity, digest
from envdoctor.sweep.results import Result, result_from, written

RESULTS, RUNS, PAGES, CLAIMS, PLANS, VERSIONS, WORK = (
    "results",
    "runs",
    "pages",
    "claims",
    "plans",
    "versions",
    "work",
)
INDEX = "index.html"
LEASE_SECONDS = 300.0  # after which a claim of another machine that was not renewed is free
UNMARKED = 60.0  # seconds: a driver that was killed between its directory and its mark
TERM_SECONDS = 10.0  # for the examinations of a dead driver to tidy up after themselves
CHILD = ".child"  # ending of the files that name a driver's examinations


class Ledger:
    """The folder of a sweep. Raises UsageError where it cannot be made or is something else."""

    def __init__(self, folder: Path, make: bool = False) -> None:
        self.folder = folder.absolute()
        self._home = os.path.expanduser("~")
        if not make and not is_ledger(folder):
            raise UsageError(f"{folder} is not the folder of a sweep; `envdoctor sweep` makes one")
        if make and folder.is_dir() and not is_ledger(folder) and any(folder.iterdir()):
            raise UsageError(f"--out {folder}: it holds other files; name a folder of its own")
        try:
            for name in (RESULTS, RUNS, PAGES, CLAIMS, PLANS, VERSIONS, WORK) if make else ():
                (self.folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--out {folder}: {error.strerror}") from error

    def file(self, kind: str, key: str) -> Path:
        """Return the path of a key's file of a kind."""
        return self.folder / kind / f"{key}{ENDINGS.get(kind, '.json')}"

    def done(self) -> set[str]:
        """The keys that have a result."""
        return _names(self.folder / RESULTS)

    def results(self) -> Iterator[Result]:
        """All results. Raises UsageError for one that is not what was written."""
        for key in sorted(self.done()):
            path = self.file(RESULTS, key)
            try:
                yield result_from(path.read_text(encoding="ascii"), self._home)
            except (UnreadableError, ValueError, OSError) as error:
                raise UsageError(
                    f"{path} is not what was written; remove it, and --resume examines it again"
                ) from error

    def publish(self, result: Result, driver: Driver) -> bool:
        """Write a result, whole or not at all; False where there is one already. The files beside
        it come first. Until then it lies with the driver, so that nothing is left should that be
        killed.
        """
        draft = driver.folder / f".{secrets.token_hex(8)}"
        try:
            with draft.open("w", encoding="ascii") as file:
                file.write(written(result, self._home))
                file.flush()
                os.fsync(file.fileno())
            os.link(draft, self.file(RESULTS, result.key))
        except FileExistsError:
            return False
        finally:
            draft.unlink(missing_ok=True)
        return True

    def plan(self, examinations: Iterable[Examination]) -> None:
        """Write down what is to be examined, for any driver that goes on."""
        entries = [asdict(examination) for examination in examinations]
        self._write_once(PLANS, entries)

    def planned(self) -> tuple[Examination, ...]:
        """Return the examinations of all drivers, each key once."""
        result: dict[str, Examination] = {}
        for path in sorted((self.folder / PLANS).glob("*.json")):
            try:
                for entry in json.loads(path.read_text(encoding="utf-8")):
                    examination = _examination(**entry)
                    result.setdefault(examination.key, examination)
            except (OSError, ValueError, TypeError) as error:
                raise UsageError(f"{path} is not what was written; remove it") from error
        return tuple(result.values())

    def keep_versions(self, versions: Mapping[str, str]) -> str:
        """Write down the packages of an interpreter; their digest."""
        return self._write_once(VERSIONS, dict(sorted(versions.items())))

    def versions(self, name: str) -> dict[str, str]:
        """The packages of a digest; none where they are not known."""
        try:
            result = json.loads((self.folder / VERSIONS / f"{name}.json").read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(key): str(value) for key, value in result.items()}

    def _write_once(self, kind: str, value: object) -> str:
        name = digest(value)[:16]
        path = self.folder / kind / f"{name}.json"
        if not path.exists():
            with Driver(self) as driver:
                draft = driver.folder / name
                draft.write_text(json.dumps(value), encoding="utf-8")
                draft.replace(path)
        return name

    def claim(self, key: str, driver: Driver) -> bool:
        """Take a key for a driver: True where no other driver is at it, and it has no result."""
        path = self.file(CLAIMS, key)
        if self.file(RESULTS, key).exists():
            return False
        if driver.link(path):
            return self._unless_done(key)
        with self._alone():
            if not _is_free(path):
                return False
            path.unlink(missing_ok=True)
            return driver.link(path) and self._unless_done(key)

    def _unless_done(self, key: str) -> bool:
        """Its last owner may have published it between our look and our claim."""
        if self.file(RESULTS, key).exists():
            self.release(key)
            return False
        return True

    def release(self, key: str) -> None:
        """Give a key back."""
        self.file(CLAIMS, key).unlink(missing_ok=True)

    def renew(self, keys: Iterable[str]) -> None:
        """Say that a driver is still at these keys, to other machines."""
        for key in keys:
            with suppress(OSError):
                os.utime(self.file(CLAIMS, key))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other drivers from taking up a claim at the same time."""
        import fcntl

        with (self.folder / CLAIMS / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def remove_abandoned(self) -> int:
        """Remove what drivers of this user left on this machine that are dead; how many there
        were. Their claims are taken up as their keys are; those of keys that have a result mean
        nothing any more.
        """
        for key in _names(self.folder / CLAIMS) & self.done():
            self.release(key)
        removed = 0
        for folder in sorted((self.folder / WORK).iterdir()):
            # What another user wrote there may name any process.
            ours = folder.is_dir() and folder.lstat().st_uid == os.getuid()
            if ours and is_abandoned(read_mark(str(folder / MARK))):
                _end_examinations(folder)
                guard.remove(str(folder))
                removed += 1
            elif ours and time.time() - folder.lstat().st_mtime > UNMARKED:
                with suppress(OSError):  # it is not empty: it has a mark, and its driver lives
                    folder.rmdir()
                    removed += 1
        return removed


ENDINGS = {RUNS: ".jsonl", PAGES: ".html"}


class Driver:
    """A process at a ledger: its mark, and a directory for what is not published yet. A context
    manager, which removes it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.owner = owner_of(os.getpid())
        self.folder = ledger.folder / WORK / secrets.token_hex(8)

    def __enter__(self) -> Self:
        self.folder.mkdir(0o700)
        write_mark(str(self.folder), [self.owner])
        return self

    def __exit__(self, *_error: object) -> None:
        guard.remove(str(self.folder))

    def link(self, path: Path) -> bool:
        """Put this driver's mark at a path, whole; False where there is one already."""
        try:
            # A copy of its own: renewing one claim must not renew them all.
            draft = self.folder / f"claim-{path.stem}"
            draft.write_bytes((self.folder / MARK).read_bytes())
            try:
                os.link(draft, path)
            finally:
                draft.unlink()
        except FileExistsError:
            return False
        return True

    def note_child(self, key: str, pid: int) -> None:
        """Name an examination, so that the next driver can end it should this one be killed."""
        path = self.folder / f"{key}{CHILD}"
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps([asdict(owner_of(pid))]), encoding="ascii")
        draft.replace(path)


def page_names(ledger: Ledger) -> set[str]:
    """The keys that have a page."""
    return {path.stem for path in (ledger.folder / PAGES).glob("*.html")}


def is_ledger(folder: Path) -> bool:
    """Return True if a folder is that of a sweep."""
    return (folder / RESULTS).is_dir() and (folder / PLANS).is_dir()


def _examination(identity: dict[str, object], words: list[str], directory: str) -> Examination:
    return Examination(Identity(**identity), tuple(words), directory)  # type: ignore[arg-type]


def _names(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {name.removesuffix(".json") for entry in entries if (name := entry.name)[0] != "."}


def _is_free(path: Path) -> bool:
    """Return True if no driver is at a key any more. An unknown state counts as free when it was
    not renewed for long, by the clock of the file system.
    """
    owners = read_mark(str(path))
    states = {owner.state for owner in owners or ()}
    if states == {DEAD}:
        return True
    if ALIVE in states:
        return False
    try:
        renewed = path.stat().st_mtime
    except FileNotFoundError:
        return True
    probe = path.with_name(f".clock-{secrets.token_hex(4)}")
    probe.touch()
    try:
        return probe.stat().st_mtime - renewed > LEASE_SECONDS
    finally:
        probe.unlink(missing_ok=True)


def _end_examinations(folder: Path) -> None:
    """End the examinations of a dead driver that still run. Each tidies up after itself when it is
    asked to end; its own watchdog does when it has to be killed.
    """
    alive = [
        owner
        for path in folder.glob(f"*{CHILD}")
        for owner in read_mark(str(path)) or ()
        if owner.is_ours and owner.state == ALIVE
    ]
    for number in (15, guard.SIGKILL):
        for owner in alive:
            if _runs(owner):
                guard.kill(owner.pid, number)
        deadline = time.monotonic() + TERM_SECONDS
        while any(map(_runs, alive)) and time.monotonic() < deadline:
            time.sleep(0.01)


def _runs(owner: Owner) -> bool:
    return started(owner.pid) == owner.start != ""
