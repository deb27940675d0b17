"""Commits of the user's repository as folders: worktrees beside it, whose files alone are ours."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Self

from envdoctor.discovery.git import Git
from envdoctor.errors import UsageError
from envdoctor.run.supervise.cleanup_watchdog import PREFIX


class Commits:
    """The repository around a folder. A context manager, which removes the worktrees that it made.
    Raises UsageError where there is none.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._made: list[Path] = []
        self._git = Git(directory, "--ref")
        self.root = self._git.root

    def __enter__(self) -> Self:
        self._forget_abandoned()
        return self

    def __exit__(self, *_error: object) -> None:
        for path in self._made:
            with suppress(UsageError):  # removed already: only its entry is left
                self._git("worktree", "remove", "--force", "--force", str(path))

    def commit_of(self, ref: str) -> str:
        """The commit that a branch, tag or abbreviation names. Raises UsageError."""
        return self._git.commit_of(ref)

    def checkout(self, commit: str, path: Path) -> str:
        """Check a commit out into a new folder; what the current folder is in it. Raises
        UsageError.
        """
        self._made.append(path)
        self._git("worktree", "add", "--quiet", "--detach", str(path), commit)
        self._git("worktree", "lock", "--reason", reason_here(), str(path))
        inside = os.path.relpath(os.path.realpath(self._directory), self.root)
        folder = path / inside
        if not folder.is_dir():
            raise UsageError(f"the folder {inside} does not exist in the commit {commit[:12]}")
        return os.path.realpath(folder)

    def _forget_abandoned(self) -> None:
        """Remove the entries of worktrees of ours whose folders are gone: a killed run left them,
        and its folders were removed without git. Another machine that shares the repository has
        folders that are not seen here: the reason of the lock names the machine. Files are read,
        because git says a lock since 2.31 only.
        """
        common = Path(self._directory, self._git("rev-parse", "--git-common-dir").strip())
        for lock in (common / "worktrees").glob("*/locked"):
            with suppress(OSError, ValueError, UsageError):
                reason = lock.read_text(encoding="utf-8").strip()
                to = lock.with_name("gitdir").read_text(encoding="utf-8").strip()
                # Relative to the entry where worktree.useRelativePaths is set.
                name = os.path.dirname(os.path.realpath(lock.parent / to))
                if reason == reason_here() and f"/{PREFIX}" in name and not os.path.exists(name):
                    self._git("worktree", "remove", "--force", "--force", name)


def reason_here() -> str:
    """Return the reason of a worktree's lock: it is in use, on this machine."""
    return f"envdoctor {os.uname().nodename}"
